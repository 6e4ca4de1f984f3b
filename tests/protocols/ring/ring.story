# protocol ring
# c2:1 waits at g2 until g3 has acknowledged c1:1, which came first; all deliver in that order.
groups g1 g2 g3

multicast c1:1 to g1,g2,g3
| c1 multicasts c1:1 to g1, g2, g3

multicast c2:1 to g2,g3
| c2 multicasts c2:1 to g2, g3

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   sends hop(c1:1) to g2

g1 > g2 hop c1:1
| g2 receives hop(c1:1) from g1
|   sends hop(c1:1) to g3

c2 > g2 submit c2:1
| g2 receives c2:1 from c2

g2 > g3 hop c1:1
| g3 receives hop(c1:1) from g2
|   delivers c1:1
|   sends ack(c1:1) to g1
|   sends ack(c1:1) to g2

g3 > g2 ack c1:1
| g2 receives ack(c1:1) from g3
|   delivers c1:1
|   sends hop(c2:1) to g3

g2 > g3 hop c2:1
| g3 receives hop(c2:1) from g2
|   delivers c2:1
|   sends ack(c2:1) to g2

g3 > g2 ack c2:1
| g2 receives ack(c2:1) from g3
|   delivers c2:1

g3 > g1 ack c1:1
| g1 receives ack(c1:1) from g3
|   delivers c1:1

| g1 delivered c1:1
| g2 delivered c1:1 c2:1
| g3 delivered c1:1 c2:1
