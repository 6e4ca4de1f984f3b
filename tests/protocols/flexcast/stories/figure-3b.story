# protocol flexcast
# Figure 3 (b), ACK messages: c gets m:2 first, but waits until b has told what precedes it.
groups a b c

multicast m:1 to b,c
| m multicasts m:1 to b, c

multicast m:2 to a,b,c
| m multicasts m:2 to a, b, c

m > b submit m:1
| b receives m:1 from m
|   delivers m:1
|   sends msg(m:1) to c

m > a submit m:2
| a receives m:2 from m
|   delivers m:2
|   sends msg(m:2) to b
|   sends msg(m:2) to c

a > c msg m:2
| c receives msg(m:2) from a

a > b msg m:2
| b receives msg(m:2) from a
|   delivers m:2
|   sends ack(m:2) to c

b > c msg m:1
| c receives msg(m:1) from b
|   delivers m:1

b > c ack m:2
| c receives ack(m:2) from b
|   delivers m:2

settle

| a delivered m:2
| b delivered m:1 m:2
| c delivered m:1 m:2
