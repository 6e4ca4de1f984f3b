# protocol ang
# g3 has nothing to say, and says so: only when its empty bundle is there can the round end.
groups g1 g2 g3

multicast c1:1 to g1,g2 from g1
| c1 multicasts c1:1 to g1, g2

multicast c2:1 to g1,g2 from g2
| c2 multicasts c2:1 to g1, g2

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   sends bundle(c1:1, 1) to g2
|   sends bundle(-, 1) to g3

c2 > g2 submit c2:1
| g2 receives c2:1 from c2
|   sends bundle(c2:1, 1) to g1
|   sends bundle(-, 1) to g3

g2 > g1 bundle c2:1
| g1 receives bundle(c2:1, 1) from g2

g1 > g2 bundle c1:1
| g2 receives bundle(c1:1, 1) from g1

settle
| g3 receives bundle(-, 1) from g1
| g3 receives bundle(-, 1) from g2
| g3 lets its log get to instance 1
|   sends bundle(-, 1) to g1
|   sends bundle(-, 1) to g2
| g1 receives bundle(-, 1) from g3
|   delivers c1:1
|   delivers c2:1
| g2 receives bundle(-, 1) from g3
|   delivers c1:1
|   delivers c2:1

| g1 delivered c1:1 c2:1
| g2 delivered c1:1 c2:1
| g3 delivered nothing
