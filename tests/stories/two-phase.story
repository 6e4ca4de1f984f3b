# protocol two-phase
# Each message is coordinated by the group of its client; the higher priority wins everywhere.
groups g1 g2

multicast c1:1 to g1,g2 from g1
| c1 multicasts c1:1 to g1, g2

multicast c2:1 to g1,g2 from g2
| c2 multicasts c2:1 to g1, g2

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   sends ask(c1:1) to g2

c2 > g2 submit c2:1
| g2 receives c2:1 from c2
|   sends ask(c2:1) to g1

g1 > g2 ask c1:1
| g2 receives ask(c1:1) from g1
|   sends priority(c1:1, 5) to g1

g2 > g1 ask c2:1
| g1 receives ask(c2:1) from g2
|   sends priority(c2:1, 4) to g2

g1 > g2 priority c2:1
| g2 receives priority(c2:1, 4) from g1
|   sends final(c2:1, 4) to g1
|   delivers c2:1

g2 > g1 priority c1:1
| g1 receives priority(c1:1, 5) from g2
|   sends final(c1:1, 5) to g2

g2 > g1 final c2:1
| g1 receives final(c2:1, 4) from g2
|   delivers c2:1
|   delivers c1:1

g1 > g2 final c1:1
| g2 receives final(c1:1, 5) from g1
|   delivers c1:1

| g1 delivered c2:1 c1:1
| g2 delivered c2:1 c1:1
