# protocol genuine-dt
# Five rounds in which the destinations tell each other all they know. The high stamp of g2 wins.
groups g1 g2

multicast c0:1 to g2
| c0 multicasts c0:1 to g2

c0 > g2 submit c0:1
| g2 receives c0:1 from c0
|   delivers c0:1

multicast c1:1 to g1,g2
| c1 multicasts c1:1 to g1, g2

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   sends vector(c1:1, 1) to g2

c1 > g2 submit c1:1
| g2 receives c1:1 from c1
|   sends vector(c1:1, 1) to g1

g1 > g2 vector c1:1
| g2 receives vector(c1:1, 1) from g1
|   sends vector(c1:1, 2) to g1

g2 > g1 vector c1:1
| g1 receives vector(c1:1, 1) from g2
|   sends vector(c1:1, 2) to g2

settle
| g1 receives vector(c1:1, 2) from g2
|   sends vector(c1:1, 3) to g2
| g2 receives vector(c1:1, 2) from g1
|   sends vector(c1:1, 3) to g1
| g2 receives vector(c1:1, 3) from g1
|   sends vector(c1:1, 4) to g1
| g1 receives vector(c1:1, 3) from g2
|   sends vector(c1:1, 4) to g2
| g1 receives vector(c1:1, 4) from g2
|   sends vector(c1:1, 5) to g2
| g2 receives vector(c1:1, 4) from g1
|   sends vector(c1:1, 5) to g1
| g2 receives vector(c1:1, 5) from g1
|   delivers c1:1
| g1 receives vector(c1:1, 5) from g2
|   delivers c1:1

| g1 delivered c1:1
| g2 delivered c0:1 c1:1
