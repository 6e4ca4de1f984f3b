# protocol skeen
# The client dies between its two destinations; the timestamp stands for the lost message.
groups g1 g2

multicast c1:1 to g1,g2
| c1 multicasts c1:1 to g1, g2

lose c1 > g2 submit c1:1
| c1 crashes before it sends c1:1 to g2

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   sends timestamp(c1:1, 1) to g2

g1 > g2 timestamp c1:1
| g2 receives timestamp(c1:1, 1) from g1
|   sends timestamp(c1:1, 1) to g1
|   delivers c1:1

g2 > g1 timestamp c1:1
| g1 receives timestamp(c1:1, 1) from g2
|   delivers c1:1

| g1 delivered c1:1
| g2 delivered c1:1
