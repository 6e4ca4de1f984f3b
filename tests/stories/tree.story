# protocol tree overlay g1>g2,g1>g3,g2>g4,g2>g5
# One message enters at g1, the other at g2, the lowest group above its destinations: g2 orders
# both, and g5 waits for what g2 sent first.
groups g1 g2 g3 g4 g5

multicast c1:1 to g2,g3,g5
| c1 multicasts c1:1 to g2, g3, g5

multicast c2:1 to g4,g5
| c2 multicasts c2:1 to g4, g5

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   sends down(c1:1) to g2
|   sends down(c1:1) to g3

g1 > g2 down c1:1
| g2 receives down(c1:1) from g1
|   sends down(c1:1) to g5
|   delivers c1:1

c2 > g2 submit c2:1
| g2 receives c2:1 from c2
|   sends down(c2:1) to g4
|   sends down(c2:1) to g5

g2 > g5 down c2:1
| g5 receives down(c2:1) from g2

g2 > g4 down c2:1
| g4 receives down(c2:1) from g2
|   delivers c2:1

g1 > g3 down c1:1
| g3 receives down(c1:1) from g1
|   delivers c1:1

g2 > g5 down c1:1
| g5 receives down(c1:1) from g2
|   delivers c1:1
|   delivers c2:1

| g1 delivered nothing
| g2 delivered c1:1
| g3 delivered c1:1
| g4 delivered c2:1
| g5 delivered c1:1 c2:1
