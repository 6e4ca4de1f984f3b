# protocol skeen-coordinator
# g1 coordinates. The client dies before it reaches g3, so after a while g1 passes the message on.
groups g1 g2 g3

multicast c1:1 to g1,g2,g3
| c1 multicasts c1:1 to g1, g2, g3

lose c1 > g3 submit c1:1
| c1 crashes before it sends c1:1 to g3

c1 > g2 submit c1:1
| g2 receives c1:1 from c1
|   sends proposal(c1:1, 1) to g1

g2 > g1 proposal c1:1
| g1 receives proposal(c1:1, 1) from g2

c1 > g1 submit c1:1
| g1 receives c1:1 from c1

fire g1 c1:1
| g1 has waited long enough for c1:1
|   sends start(c1:1) to g3

g1 > g3 start c1:1
| g3 receives start(c1:1) from g1
|   sends proposal(c1:1, 1) to g1

g3 > g1 proposal c1:1
| g1 receives proposal(c1:1, 1) from g3
|   sends final(c1:1, 1) to g2
|   sends final(c1:1, 1) to g3
|   delivers c1:1

g1 > g2 final c1:1
| g2 receives final(c1:1, 1) from g1
|   delivers c1:1

g1 > g3 final c1:1
| g3 receives final(c1:1, 1) from g1
|   delivers c1:1

| g1 delivered c1:1
| g2 delivered c1:1
| g3 delivered c1:1
