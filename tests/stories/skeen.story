# protocol skeen
# Two messages to the same two groups arrive in different orders; ids break the tie.
groups g1 g2

multicast c1:1 to g1,g2
| c1 multicasts c1:1 to g1, g2

multicast c2:1 to g1,g2
| c2 multicasts c2:1 to g1, g2

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   sends timestamp(c1:1, 1) to g2

c2 > g2 submit c2:1
| g2 receives c2:1 from c2
|   sends timestamp(c2:1, 1) to g1

g1 > g2 timestamp c1:1
| g2 receives timestamp(c1:1, 1) from g1
|   sends timestamp(c1:1, 2) to g1

g2 > g1 timestamp c2:1
| g1 receives timestamp(c2:1, 1) from g2
|   sends timestamp(c2:1, 2) to g2

g2 > g1 timestamp c1:1
| g1 receives timestamp(c1:1, 2) from g2
|   delivers c1:1
|   delivers c2:1

g1 > g2 timestamp c2:1
| g2 receives timestamp(c2:1, 2) from g1
|   delivers c1:1
|   delivers c2:1

settle
| g2 receives c1:1 from c1
| g1 receives c2:1 from c2

| g1 delivered c1:1 c2:1
| g2 delivered c1:1 c2:1
