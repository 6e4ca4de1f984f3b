# protocol tree overlay binary
# Figure 3.2 of the thesis on TreeCast: m1 is for g2, g3 and g5, m2 for g4 and g5, m3 for g7. m1
# enters at g1, m2 at g2, the lowest group above its destinations: g2 orders both, and g5 waits
# for what g2 sent first. m3 enters where it is delivered.
groups g1 g2 g3 g4 g5 g6 g7

multicast m:1 to g2,g3,g5
| m multicasts m:1 to g2, g3, g5

multicast m:2 to g4,g5
| m multicasts m:2 to g4, g5

multicast m:3 to g7
| m multicasts m:3 to g7

m > g1 submit m:1
| g1 receives m:1 from m
|   sends down(m:1) to g2
|   sends down(m:1) to g3

g1 > g2 down m:1
| g2 receives down(m:1) from g1
|   sends down(m:1) to g5
|   delivers m:1

m > g2 submit m:2
| g2 receives m:2 from m
|   sends down(m:2) to g4
|   sends down(m:2) to g5

m > g7 submit m:3
| g7 receives m:3 from m
|   delivers m:3

g2 > g5 down m:2
| g5 receives down(m:2) from g2

g2 > g4 down m:2
| g4 receives down(m:2) from g2
|   delivers m:2

g1 > g3 down m:1
| g3 receives down(m:1) from g1
|   delivers m:1

g2 > g5 down m:1
| g5 receives down(m:1) from g2
|   delivers m:1
|   delivers m:2

| g1 delivered nothing
| g2 delivered m:1
| g3 delivered m:1
| g4 delivered m:2
| g5 delivered m:1 m:2
| g6 delivered nothing
| g7 delivered m:3
