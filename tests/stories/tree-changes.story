# protocol tree overlay star option changes=yes
# The tree changes while messages flow: at first g1 is above g2 and g3, then g2 is above g1 and
# g3. What g1 had ordered comes before the change everywhere, also at g2, which hears of the new
# tree first. c2:1 was on its way to the root that was: g1 keeps it until the new tree is open,
# and passes it on to the new root.
groups g1 g2 g3

multicast c1:1 to g2,g3
| c1 multicasts c1:1 to g2, g3

multicast c2:1 to g2,g3
| c2 multicasts c2:1 to g2, g3

multicast graph:1 to g1,g2,g3
| graph multicasts graph:1 to g1, g2, g3

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   sends data(c1:1, 0, 0) to g2
|   sends data(c1:1, 0, 0) to g3

graph > g1 submit graph:1
| g1 receives graph:1 from graph
|   sends open(graph:1, 1) to g2
|   sends close(graph:1, 0) to g2
|   sends close(graph:1, 0) to g3

c2 > g1 submit c2:1
| g1 receives c2:1 from c2

g1 > g2 open graph:1
| g2 receives open(graph:1, 1) from g1

g1 > g3 close graph:1
| g3 receives close(graph:1, 0) from g1

g1 > g2 close graph:1
| g2 receives close(graph:1, 0) from g1

g1 > g2 data c1:1
| g2 receives data(c1:1, 0, 0) from g1
|   delivers c1:1
|   sends open(graph:1, 1) to g1
|   sends open(graph:1, 1) to g3
|   delivers graph:1

settle
| g3 receives data(c1:1, 0, 0) from g1
|   delivers c1:1
| g1 receives open(graph:1, 1) from g2
|   delivers graph:1
|   sends request(c2:1, 1, 0) to g2
| g3 receives open(graph:1, 1) from g2
|   delivers graph:1
| g2 receives request(c2:1, 1, 0) from g1
|   sends data(c2:1, 1, 0) to g3
|   delivers c2:1
| g3 receives data(c2:1, 1, 0) from g2
|   delivers c2:1

| g1 delivered graph:1
| g2 delivered c1:1 graph:1 c2:1
| g3 delivered c1:1 graph:1 c2:1
