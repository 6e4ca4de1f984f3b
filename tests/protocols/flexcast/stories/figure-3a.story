# protocol flexcast
# Figure 3 (a), histories: c gets m:3 first, and learns with it that m:1 must go before.
groups a b c

multicast m:1 to a,c
| m multicasts m:1 to a, c

multicast m:2 to a,b
| m multicasts m:2 to a, b

multicast m:3 to b,c
| m multicasts m:3 to b, c

m > a submit m:1
| a receives m:1 from m
|   delivers m:1
|   sends msg(m:1) to c

m > a submit m:2
| a receives m:2 from m
|   delivers m:2
|   sends msg(m:2) to b

a > b msg m:2
| b receives msg(m:2) from a
|   delivers m:2

m > b submit m:3
| b receives m:3 from m
|   delivers m:3
|   sends msg(m:3) to c

b > c msg m:3
| c receives msg(m:3) from b

a > c msg m:1
| c receives msg(m:1) from a
|   delivers m:1
|   delivers m:3

settle

| a delivered m:1 m:2
| b delivered m:2 m:3
| c delivered m:1 m:3
