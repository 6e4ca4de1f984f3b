# protocol flexcast
# Figure 3 (c), NOTIF messages: b is no destination of m:3, but has m:1 before m:2, and a has
# m:2 before m:3. So a asks b to tell c what precedes m:3 there.
groups a b c

multicast m:1 to b,c
| m multicasts m:1 to b, c

multicast m:2 to a,b
| m multicasts m:2 to a, b

multicast m:3 to a,c
| m multicasts m:3 to a, c

m > a submit m:2
| a receives m:2 from m
|   delivers m:2
|   sends msg(m:2) to b

m > a submit m:3
| a receives m:3 from m
|   delivers m:3
|   sends notif(m:3) to b
|   sends msg(m:3) to c

a > c msg m:3
| c receives msg(m:3) from a

m > b submit m:1
| b receives m:1 from m
|   delivers m:1
|   sends msg(m:1) to c

a > b msg m:2
| b receives msg(m:2) from a
|   delivers m:2

b > c msg m:1
| c receives msg(m:1) from b
|   delivers m:1

a > b notif m:3
| b receives notif(m:3) from a
|   sends ack(m:3) to c

b > c ack m:3
| c receives ack(m:3) from b
|   delivers m:3

settle

| a delivered m:2 m:3
| b delivered m:1 m:2
| c delivered m:1 m:3
