# protocol sequencer overlay g2
# The centre's order holds even where its packets overtake each other.
groups g1 g2 g3

multicast c1:1 to g1,g3
| c1 multicasts c1:1 to g1, g3

multicast c2:1 to g1,g3
| c2 multicasts c2:1 to g1, g3

c2 > g2 submit c2:1
| g2 receives c2:1 from c2
|   sends ordered(c2:1) to g1
|   sends ordered(c2:1) to g3

c1 > g2 submit c1:1
| g2 receives c1:1 from c1
|   sends ordered(c1:1) to g1
|   sends ordered(c1:1) to g3

g2 > g1 ordered c1:1
| g1 receives ordered(c1:1) from g2

g2 > g1 ordered c2:1
| g1 receives ordered(c2:1) from g2
|   delivers c2:1
|   delivers c1:1

g2 > g3 ordered c2:1
| g3 receives ordered(c2:1) from g2
|   delivers c2:1

g2 > g3 ordered c1:1
| g3 receives ordered(c1:1) from g2
|   delivers c1:1

| g1 delivered c2:1 c1:1
| g2 delivered nothing
| g3 delivered c2:1 c1:1
