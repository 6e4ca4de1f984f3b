# protocol generic
# a1 and a2 conflict, b1 commutes with both: it need not wait, and overtakes at g1 only.
groups g1 g2

multicast a1:1 to g1,g2
| a1 multicasts a1:1 to g1, g2

multicast b1:1 to g1,g2
| b1 multicasts b1:1 to g1, g2

a1 > g1 submit a1:1
| g1 receives a1:1 from a1
|   sends timestamp(a1:1, 1) to g2

b1 > g1 submit b1:1
| g1 receives b1:1 from b1
|   sends timestamp(b1:1, 2) to g2

b1 > g2 submit b1:1
| g2 receives b1:1 from b1
|   sends timestamp(b1:1, 1) to g1

g2 > g1 timestamp b1:1
| g1 receives timestamp(b1:1, 1) from g2
|   delivers b1:1

multicast a2:1 to g1,g2
| a2 multicasts a2:1 to g1, g2

a2 > g1 submit a2:1
| g1 receives a2:1 from a2
|   sends timestamp(a2:1, 3) to g2

a1 > g2 submit a1:1
| g2 receives a1:1 from a1
|   sends timestamp(a1:1, 2) to g1

a2 > g2 submit a2:1
| g2 receives a2:1 from a2
|   sends timestamp(a2:1, 3) to g1

g1 > g2 timestamp a1:1
| g2 receives timestamp(a1:1, 1) from g1
|   delivers a1:1

g2 > g1 timestamp a2:1
| g1 receives timestamp(a2:1, 3) from g2

g2 > g1 timestamp a1:1
| g1 receives timestamp(a1:1, 2) from g2
|   delivers a1:1
|   delivers a2:1

settle
| g2 receives timestamp(b1:1, 2) from g1
|   delivers b1:1
| g2 receives timestamp(a2:1, 3) from g1
|   delivers a2:1

| g1 delivered b1:1 a1:1 a2:1
| g2 delivered a1:1 b1:1 a2:1
