# protocol skeen-global
# g3 does not deliver m1:1 before it has its turn at g2, too, which is after a1:1.
groups g1 g2 g3

multicast a1:1 to g1,g2
| a1 multicasts a1:1 to g1, g2

multicast m1:1 to g2,g3
| m1 multicasts m1:1 to g2, g3

a1 > g2 submit a1:1
| g2 receives a1:1 from a1
|   sends timestamp(a1:1, 1) to g1

m1 > g2 submit m1:1
| g2 receives m1:1 from m1
|   sends timestamp(m1:1, 2) to g3

m1 > g3 submit m1:1
| g3 receives m1:1 from m1
|   sends timestamp(m1:1, 1) to g2

g2 > g3 timestamp m1:1
| g3 receives timestamp(m1:1, 2) from g2
|   sends turn(m1:1) to g2

multicast z1:1 to g1
| z1 multicasts z1:1 to g1

z1 > g1 submit z1:1
| g1 receives z1:1 from z1
|   delivers z1:1

settle
| g1 receives a1:1 from a1
|   sends timestamp(a1:1, 2) to g2
| g1 receives timestamp(a1:1, 1) from g2
|   sends turn(a1:1) to g2
| g2 receives timestamp(m1:1, 1) from g3
| g2 receives turn(m1:1) from g3
| g2 receives timestamp(a1:1, 2) from g1
|   sends turn(a1:1) to g1
| g2 receives turn(a1:1) from g1
|   delivers a1:1
|   sends turn(m1:1) to g3
|   delivers m1:1
| g1 receives turn(a1:1) from g2
|   delivers a1:1
| g3 receives turn(m1:1) from g2
|   delivers m1:1

| g1 delivered z1:1 a1:1
| g2 delivered a1:1 m1:1
| g3 delivered m1:1
