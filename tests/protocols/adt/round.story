# protocol adt
# g1 opens a round for c1:1. The others have nothing to send, and send empty bundles, about "-".
groups g1 g2 g3 g4

multicast c1:1 to g1,g2 from g1
| c1 multicasts c1:1 to g1, g2

c1 > g1 submit c1:1
| g1 receives c1:1 from c1
|   sends tell(c1:1, 1) to g2
|   sends tell(c1:1, 1) to g3
|   sends tell(c1:1, 1) to g4

g1 > g2 tell c1:1
| g2 receives tell(c1:1, 1) from g1
|   sends ack(c1:1, 1) to g1
|   sends ack(c1:1, 1) to g3
|   sends ack(c1:1, 1) to g4
|   sends tell(-, 1) to g1
|   sends tell(-, 1) to g3
|   sends tell(-, 1) to g4

g1 > g3 tell c1:1
| g3 receives tell(c1:1, 1) from g1
|   sends ack(c1:1, 1) to g1
|   sends ack(c1:1, 1) to g2
|   sends ack(c1:1, 1) to g4
|   sends tell(-, 1) to g1
|   sends tell(-, 1) to g2
|   sends tell(-, 1) to g4

g1 > g4 tell c1:1
| g4 receives tell(c1:1, 1) from g1
|   sends ack(c1:1, 1) to g1
|   sends ack(c1:1, 1) to g2
|   sends ack(c1:1, 1) to g3
|   sends tell(-, 1) to g1
|   sends tell(-, 1) to g2
|   sends tell(-, 1) to g3

settle
| g1 receives ack(c1:1, 1) from g2
| g3 receives ack(c1:1, 1) from g2
| g4 receives ack(c1:1, 1) from g2
| g1 receives tell(-, 1) from g2
|   sends ack(-, 1) to g2
|   sends ack(-, 1) to g3
|   sends ack(-, 1) to g4
| g3 receives tell(-, 1) from g2
|   sends ack(-, 1) to g1
|   sends ack(-, 1) to g2
|   sends ack(-, 1) to g4
| g4 receives tell(-, 1) from g2
|   sends ack(-, 1) to g1
|   sends ack(-, 1) to g2
|   sends ack(-, 1) to g3
| g1 receives ack(c1:1, 1) from g3
| g2 receives ack(c1:1, 1) from g3
| g4 receives ack(c1:1, 1) from g3
| g1 receives tell(-, 1) from g3
|   sends ack(-, 1) to g2
|   sends ack(-, 1) to g3
|   sends ack(-, 1) to g4
| g2 receives tell(-, 1) from g3
|   sends ack(-, 1) to g1
|   sends ack(-, 1) to g3
|   sends ack(-, 1) to g4
| g4 receives tell(-, 1) from g3
|   sends ack(-, 1) to g1
|   sends ack(-, 1) to g2
|   sends ack(-, 1) to g3
| g1 receives ack(c1:1, 1) from g4
| g2 receives ack(c1:1, 1) from g4
| g3 receives ack(c1:1, 1) from g4
| g1 receives tell(-, 1) from g4
|   sends ack(-, 1) to g2
|   sends ack(-, 1) to g3
|   sends ack(-, 1) to g4
| g2 receives tell(-, 1) from g4
|   sends ack(-, 1) to g1
|   sends ack(-, 1) to g3
|   sends ack(-, 1) to g4
| g3 receives tell(-, 1) from g4
|   sends ack(-, 1) to g1
|   sends ack(-, 1) to g2
|   sends ack(-, 1) to g4
| g2 receives ack(-, 1) from g1
| g3 receives ack(-, 1) from g1
| g4 receives ack(-, 1) from g1
| g1 receives ack(-, 1) from g3
| g2 receives ack(-, 1) from g3
| g4 receives ack(-, 1) from g3
| g1 receives ack(-, 1) from g4
| g2 receives ack(-, 1) from g4
| g3 receives ack(-, 1) from g4
| g2 receives ack(-, 1) from g1
| g3 receives ack(-, 1) from g1
| g4 receives ack(-, 1) from g1
| g1 receives ack(-, 1) from g2
| g3 receives ack(-, 1) from g2
| g4 receives ack(-, 1) from g2
| g1 receives ack(-, 1) from g4
| g2 receives ack(-, 1) from g4
| g3 receives ack(-, 1) from g4
| g2 receives ack(-, 1) from g1
|   delivers c1:1
| g3 receives ack(-, 1) from g1
| g4 receives ack(-, 1) from g1
| g1 receives ack(-, 1) from g2
|   delivers c1:1
| g3 receives ack(-, 1) from g2
| g4 receives ack(-, 1) from g2
| g1 receives ack(-, 1) from g3
| g2 receives ack(-, 1) from g3
| g4 receives ack(-, 1) from g3

| g1 delivered c1:1
| g2 delivered c1:1
| g3 delivered nothing
| g4 delivered nothing
