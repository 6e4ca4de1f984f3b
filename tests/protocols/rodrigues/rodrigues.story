# protocol rodrigues
# g1 coordinates. A stamp comes after all acceptances; g3 waits for it before it delivers.
groups g1 g2 g3

multicast c1:1 to g1,g2,g3
| c1 multicasts c1:1 to g1, g2, g3

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   sends stamp(c1:1, 1) to g2
|   sends stamp(c1:1, 1) to g3

c1 > g2 submit c1:1
| g2 receives c1:1 from c1
|   sends stamp(c1:1, 1) to g1
|   sends stamp(c1:1, 1) to g3

c1 > g3 submit c1:1
| g3 receives c1:1 from c1
|   sends stamp(c1:1, 1) to g1
|   sends stamp(c1:1, 1) to g2

g1 > g2 stamp c1:1
| g2 receives stamp(c1:1, 1) from g1

g3 > g2 stamp c1:1
| g2 receives stamp(c1:1, 1) from g3

g2 > g1 stamp c1:1
| g1 receives stamp(c1:1, 1) from g2

g3 > g1 stamp c1:1
| g1 receives stamp(c1:1, 1) from g3
|   sends propose(c1:1, 1) to g2
|   sends propose(c1:1, 1) to g3

g1 > g2 propose c1:1
| g2 receives propose(c1:1, 1) from g1
|   sends accept(c1:1) to g1
|   sends accept(c1:1) to g3

g1 > g3 propose c1:1
| g3 receives propose(c1:1, 1) from g1
|   sends accept(c1:1) to g1
|   sends accept(c1:1) to g2

g2 > g1 accept c1:1
| g1 receives accept(c1:1) from g2

g3 > g1 accept c1:1
| g1 receives accept(c1:1) from g3
|   delivers c1:1

g3 > g2 accept c1:1
| g2 receives accept(c1:1) from g3
|   delivers c1:1

g2 > g3 accept c1:1
| g3 receives accept(c1:1) from g2

g1 > g3 stamp c1:1
| g3 receives stamp(c1:1, 1) from g1

g2 > g3 stamp c1:1
| g3 receives stamp(c1:1, 1) from g2
|   delivers c1:1

| g1 delivered c1:1
| g2 delivered c1:1
| g3 delivered c1:1
