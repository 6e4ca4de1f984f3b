# Figure 3 with ties in the order of the configuration: c > a, b, d, h; b > g; d > e, j; e > f.
# Now x:1 and y:1 both enter at c. The channel from c to b gives b the second one first, and b
# waits for the other; z:1, which only b orders, does not wait.
groups a b c d e f g h j

multicast x:1 to b,c,d,e
| x multicasts x:1 to b, c, d, e

multicast y:1 to a,b,c
| y multicasts y:1 to a, b, c

multicast z:1 to b,g
| z multicasts z:1 to b, g

multicast w:1 to e,f
| w multicasts w:1 to e, f

x > c submit x:1
| c receives x:1 from x
|   sends data(x:1, 0, 0) to b
|   sends data(x:1, 0, 0) to d
|   delivers x:1

y > c submit y:1
| c receives y:1 from y
|   sends data(y:1, 0, 0) to a
|   sends data(y:1, 0, 0) to b
|   delivers y:1

c > b data y:1
| b receives data(y:1, 0, 0) from c

z > b submit z:1
| b receives z:1 from z
|   sends data(z:1, 0, 0) to g
|   delivers z:1

w > e submit w:1
| e receives w:1 from w
|   sends data(w:1, 0, 0) to f
|   delivers w:1

c > d data x:1
| d receives data(x:1, 0, 0) from c
|   sends data(x:1, 0, 0) to e
|   delivers x:1

settle
| b receives data(x:1, 0, 0) from c
|   delivers x:1
|   delivers y:1
| a receives data(y:1, 0, 0) from c
|   delivers y:1
| g receives data(z:1, 0, 0) from b
|   delivers z:1
| f receives data(w:1, 0, 0) from e
|   delivers w:1
| e receives data(x:1, 0, 0) from d
|   delivers x:1

| a delivered y:1
| b delivered z:1 x:1 y:1
| c delivered x:1 y:1
| d delivered x:1
| e delivered w:1 x:1
| f delivered w:1
| g delivered z:1
| h delivered nothing
| j delivered nothing
