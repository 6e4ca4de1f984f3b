# protocol age
# g2 is two instances ahead, so its timestamp 3 is the highest: g2 skips the second decision,
# while g1 has its log decide the final timestamp.
groups g1 g2

multicast c8:1 to g2
| c8 multicasts c8:1 to g2

multicast c9:1 to g2
| c9 multicasts c9:1 to g2

c8 > g2 submit c8:1
| g2 receives c8:1 from c8
|   delivers c8:1

c9 > g2 submit c9:1
| g2 receives c9:1 from c9
|   delivers c9:1

multicast c1:1 to g1,g2
| c1 multicasts c1:1 to g1, g2

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   sends timestamp(c1:1, 1) to g2

c1 > g2 submit c1:1
| g2 receives c1:1 from c1
|   sends timestamp(c1:1, 3) to g1

g1 > g2 timestamp c1:1
| g2 receives timestamp(c1:1, 1) from g1
|   delivers c1:1

g2 > g1 timestamp c1:1
| g1 receives timestamp(c1:1, 3) from g2
|   proposes final(c1:1, 3) to its log

g1 > g1 final c1:1
| g1 finds final(c1:1, 3) in its log
|   delivers c1:1

| g1 delivered c1:1
| g2 delivered c8:1 c9:1 c1:1
