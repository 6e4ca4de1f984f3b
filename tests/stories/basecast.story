# protocol basecast
# Both groups set 1 and 2, each for another message; both messages end at 2, and ids break the tie.
groups g1 g2

multicast c1:1 to g1,g2
| c1 multicasts c1:1 to g1, g2

multicast c2:1 to g1,g2
| c2 multicasts c2:1 to g1, g2

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   sends sendhard(c1:1, 1) to g2

c2 > g1 submit c2:1
| g1 receives c2:1 from c2
|   sends sendhard(c2:1, 2) to g2

c2 > g2 submit c2:1
| g2 receives c2:1 from c2
|   sends sendhard(c2:1, 1) to g1

c1 > g2 submit c1:1
| g2 receives c1:1 from c1
|   sends sendhard(c1:1, 2) to g1

g2 > g1 sendhard c2:1
| g1 receives sendhard(c2:1, 1) from g2

g2 > g1 sendhard c1:1
| g1 receives sendhard(c1:1, 2) from g2
|   delivers c1:1
|   delivers c2:1

g1 > g2 sendhard c1:1
| g2 receives sendhard(c1:1, 1) from g1

g1 > g2 sendhard c2:1
| g2 receives sendhard(c2:1, 2) from g1
|   delivers c1:1
|   delivers c2:1

| g1 delivered c1:1 c2:1
| g2 delivered c1:1 c2:1
