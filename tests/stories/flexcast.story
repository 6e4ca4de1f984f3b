# protocol flexcast
# c1:1 and c2:1 meet only at g3. g1 and g2 order them in no way, so g3 takes them as they come;
# c3:1 is sent to g1 and g3 after c1:1, and g3 learns so from the history that comes with it.
groups g1 g2 g3

multicast c1:1 to g1,g3
| c1 multicasts c1:1 to g1, g3

multicast c2:1 to g2,g3
| c2 multicasts c2:1 to g2, g3

multicast c3:1 to g1,g3
| c3 multicasts c3:1 to g1, g3

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   delivers c1:1
|   sends msg(c1:1) to g3

c3 > g1 submit c3:1
| g1 receives c3:1 from c3
|   delivers c3:1
|   sends msg(c3:1) to g3

c2 > g2 submit c2:1
| g2 receives c2:1 from c2
|   delivers c2:1
|   sends msg(c2:1) to g3

g2 > g3 msg c2:1
| g3 receives msg(c2:1) from g2
|   delivers c2:1

settle
| g3 receives msg(c1:1) from g1
|   delivers c1:1
| g3 receives msg(c3:1) from g1
|   delivers c3:1

| g1 delivered c1:1 c3:1
| g2 delivered c2:1
| g3 delivered c2:1 c1:1 c3:1
