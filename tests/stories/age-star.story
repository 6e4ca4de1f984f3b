# protocol age-star
# Three replicas apply the log of g2 at their own speed. A timestamp that one of them has, but
# that the log has not, must not let it deliver what the others hold back.
groups g1 g2 g3
replicas 3

multicast c34:1 to g1,g2,g3
| c34 multicasts c34:1 to g1, g2, g3

c34 > g2 submit c34:1
| g2 receives c34:1 from c34

multicast c9:4 to g2,g3
| c9 multicasts c9:4 to g2, g3

c9 > g3 submit c9:4
| g3 receives c9:4 from c9

c9 > g2 submit c9:4
| g2 receives c9:4 from c9

decide g2
| g2 decides instance 1

decide g3
| g3 decides instance 1

apply g3/2
| g3/2 applies instance 1
|   sends timestamp(c9:4, 1) to g2

apply g2/0
| g2/0 applies instance 1
|   sends timestamp(c34:1, 1) to g1
|   sends timestamp(c34:1, 1) to g3
|   sends timestamp(c9:4, 1) to g3

g3 > g2/0 timestamp c9:4
| g2/0 receives timestamp(c9:4, 1) from g3
|   proposes final(c9:4, 1) to its log

g2 > g2 final c9:4
| g2 finds final(c9:4, 1) in its log

decide g2
| g2 decides instance 2

apply g2/0
| g2/0 applies instance 2

multicast c18:9 to g2 from g2
| c18 multicasts c18:9 to g2

c34 > g3 submit c34:1
| g3 receives c34:1 from c34

decide g3
| g3 decides instance 2

apply g3/2
| g3/2 applies instance 2
|   sends timestamp(c34:1, 2) to g1
|   sends timestamp(c34:1, 2) to g2

settle
| g1 receives c34:1 from c34
| g2/1 receives timestamp(c9:4, 1) from g3
|   proposes start(c9:4) to its log
| g2/2 receives timestamp(c9:4, 1) from g3
| g1/0 receives timestamp(c34:1, 1) from g2
|   proposes start(c34:1) to its log
| g1/1 receives timestamp(c34:1, 1) from g2
| g1/2 receives timestamp(c34:1, 1) from g2
| g3/0 receives timestamp(c34:1, 1) from g2
|   proposes start(c34:1) to its log
| g3/1 receives timestamp(c34:1, 1) from g2
| g3/2 receives timestamp(c34:1, 1) from g2
| g3/0 receives timestamp(c9:4, 1) from g2
|   proposes start(c9:4) to its log
| g3/1 receives timestamp(c9:4, 1) from g2
| g3/2 receives timestamp(c9:4, 1) from g2
|   proposes final(c9:4, 1) to its log
| g2 receives c18:9 from c18
| g1/0 receives timestamp(c34:1, 2) from g3
| g1/1 receives timestamp(c34:1, 2) from g3
| g1/2 receives timestamp(c34:1, 2) from g3
| g2/0 receives timestamp(c34:1, 2) from g3
| g2/1 receives timestamp(c34:1, 2) from g3
|   proposes start(c34:1) to its log
| g2/2 receives timestamp(c34:1, 2) from g3
| g2 finds start(c9:4) in its log
| g1 finds start(c34:1) in its log
| g3 finds start(c34:1) in its log
| g3 finds start(c9:4) in its log
| g3 finds final(c9:4, 1) in its log
| g2 finds start(c34:1) in its log
| g1 decides instance 1
| g1/0 applies instance 1
|   sends timestamp(c34:1, 1) to g2
|   sends timestamp(c34:1, 1) to g3
|   proposes final(c34:1, 2) to its log
| g2/0 receives timestamp(c34:1, 1) from g1
|   proposes final(c34:1, 2) to its log
| g2/1 receives timestamp(c34:1, 1) from g1
| g2/2 receives timestamp(c34:1, 1) from g1
| g3/0 receives timestamp(c34:1, 1) from g1
| g3/1 receives timestamp(c34:1, 1) from g1
| g3/2 receives timestamp(c34:1, 1) from g1
|   proposes final(c34:1, 2) to its log
| g1 finds final(c34:1, 2) in its log
| g2 finds final(c34:1, 2) in its log
| g3 finds final(c34:1, 2) in its log
| g1 decides instance 2
| g1/0 applies instance 2
|   delivers c34:1
| g1/1 applies instance 1
| g1/1 applies instance 2
|   delivers c34:1
| g1/2 applies instance 1
| g1/2 applies instance 2
|   delivers c34:1
| g2 decides instance 3
| g2/0 applies instance 3
|   delivers c18:9
|   delivers c9:4
|   delivers c34:1
| g2/1 applies instance 1
| g2/1 applies instance 2
| g2/1 applies instance 3
|   delivers c18:9
|   delivers c9:4
|   delivers c34:1
| g2/2 applies instance 1
| g2/2 applies instance 2
| g2/2 applies instance 3
|   delivers c18:9
|   delivers c9:4
|   delivers c34:1
| g3 decides instance 3
| g3/0 applies instance 1
| g3/0 applies instance 2
| g3/0 applies instance 3
|   delivers c9:4
|   delivers c34:1
| g3/1 applies instance 1
| g3/1 applies instance 2
| g3/1 applies instance 3
|   delivers c9:4
|   delivers c34:1
| g3/2 applies instance 3
|   delivers c9:4
|   delivers c34:1

| g1/0 delivered c34:1
| g1/1 delivered c34:1
| g1/2 delivered c34:1
| g2/0 delivered c18:9 c9:4 c34:1
| g2/1 delivered c18:9 c9:4 c34:1
| g2/2 delivered c18:9 c9:4 c34:1
| g3/0 delivered c9:4 c34:1
| g3/1 delivered c9:4 c34:1
| g3/2 delivered c9:4 c34:1
