# protocol skeen
# Why the clock must follow final timestamps: when g1 has delivered c1:1 with timestamp 3, it
# must not stamp c2:1 with 2, or g2 would deliver the two the other way round.
groups g1 g2 g3

multicast c8:1 to g3
| c8 multicasts c8:1 to g3

multicast c9:1 to g3
| c9 multicasts c9:1 to g3

c8 > g3 submit c8:1
| g3 receives c8:1 from c8
|   delivers c8:1

c9 > g3 submit c9:1
| g3 receives c9:1 from c9
|   delivers c9:1

multicast c1:1 to g1,g2,g3
| c1 multicasts c1:1 to g1, g2, g3

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   sends timestamp(c1:1, 1) to g2
|   sends timestamp(c1:1, 1) to g3

c1 > g2 submit c1:1
| g2 receives c1:1 from c1
|   sends timestamp(c1:1, 1) to g1
|   sends timestamp(c1:1, 1) to g3

c1 > g3 submit c1:1
| g3 receives c1:1 from c1
|   sends timestamp(c1:1, 3) to g1
|   sends timestamp(c1:1, 3) to g2

multicast c2:1 to g1,g2
| c2 multicasts c2:1 to g1, g2

c2 > g2 submit c2:1
| g2 receives c2:1 from c2
|   sends timestamp(c2:1, 2) to g1

g2 > g1 timestamp c1:1
| g1 receives timestamp(c1:1, 1) from g2

g3 > g1 timestamp c1:1
| g1 receives timestamp(c1:1, 3) from g3
|   delivers c1:1

c2 > g1 submit c2:1
| g1 receives c2:1 from c2
|   sends timestamp(c2:1, 4) to g2

g1 > g2 timestamp c2:1
| g2 receives timestamp(c2:1, 4) from g1

g2 > g1 timestamp c2:1
| g1 receives timestamp(c2:1, 2) from g2
|   delivers c2:1

settle
| g2 receives timestamp(c1:1, 1) from g1
| g3 receives timestamp(c1:1, 1) from g1
| g3 receives timestamp(c1:1, 1) from g2
|   delivers c1:1
| g2 receives timestamp(c1:1, 3) from g3
|   delivers c1:1
|   delivers c2:1

| g1 delivered c1:1 c2:1
| g2 delivered c1:1 c2:1
| g3 delivered c8:1 c9:1 c1:1
