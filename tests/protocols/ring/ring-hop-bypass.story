# protocol ring
# Groups deliver as they hand on, and c2:1, to g1 alone, does not wait for the acknowledgement.
groups g1 g2

multicast c1:1 to g1,g2
| c1 multicasts c1:1 to g1, g2

multicast c2:1 to g1
| c2 multicasts c2:1 to g1

multicast c3:1 to g1,g2
| c3 multicasts c3:1 to g1, g2

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   delivers c1:1
|   sends hop(c1:1) to g2

c2 > g1 submit c2:1
| g1 receives c2:1 from c2
|   delivers c2:1

c3 > g1 submit c3:1
| g1 receives c3:1 from c3

g1 > g2 hop c1:1
| g2 receives hop(c1:1) from g1
|   delivers c1:1
|   sends ack(c1:1) to g1

g2 > g1 ack c1:1
| g1 receives ack(c1:1) from g2
|   delivers c3:1
|   sends hop(c3:1) to g2

g1 > g2 hop c3:1
| g2 receives hop(c3:1) from g1
|   delivers c3:1
|   sends ack(c3:1) to g1

g2 > g1 ack c3:1
| g1 receives ack(c3:1) from g2

| g1 delivered c1:1 c2:1 c3:1
| g2 delivered c1:1 c3:1
