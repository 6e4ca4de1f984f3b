# Figure 6, {a,b,c,d,e}, {c,d,e} and {a,b}: a > b, c; c > d, e. The manager is a.
# When c fails, d and e lack alpha:3, which comes by way of c, and e lacks beta:1. Only c has
# beta:2 and beta:3. In the graph without c, a > b, d and d > e, so that d orders what its client
# sends again. What c had sent comes too late. Back again, c takes back beta:2, alpha:3, beta:3.
groups a b c d e

multicast gamma:1 to a,b
| gamma multicasts gamma:1 to a, b

multicast alpha:1 to a,b,c,d,e
| alpha multicasts alpha:1 to a, b, c, d, e

multicast alpha:2 to a,b,c,d,e
| alpha multicasts alpha:2 to a, b, c, d, e

settle
| a receives gamma:1 from gamma
|   sends data(gamma:1, 0, 0) to b
|   delivers gamma:1
| a receives alpha:1 from alpha
|   sends data(alpha:1, 0, 0) to b
|   sends data(alpha:1, 0, 0) to c
|   delivers alpha:1
| a receives alpha:2 from alpha
|   sends data(alpha:2, 0, 0) to b
|   sends data(alpha:2, 0, 0) to c
|   delivers alpha:2
| b receives data(gamma:1, 0, 0) from a
|   delivers gamma:1
| b receives data(alpha:1, 0, 0) from a
|   delivers alpha:1
| c receives data(alpha:1, 0, 0) from a
|   sends data(alpha:1, 0, 0) to d
|   sends data(alpha:1, 0, 0) to e
|   delivers alpha:1
| b receives data(alpha:2, 0, 0) from a
|   delivers alpha:2
| c receives data(alpha:2, 0, 0) from a
|   sends data(alpha:2, 0, 0) to d
|   sends data(alpha:2, 0, 0) to e
|   delivers alpha:2
| d receives data(alpha:1, 0, 0) from c
|   delivers alpha:1
| e receives data(alpha:1, 0, 0) from c
|   delivers alpha:1
| d receives data(alpha:2, 0, 0) from c
|   delivers alpha:2
| e receives data(alpha:2, 0, 0) from c
|   delivers alpha:2

multicast beta:1 to c,d,e
| beta multicasts beta:1 to c, d, e

multicast beta:2 to c,d,e
| beta multicasts beta:2 to c, d, e

multicast beta:3 to c,d,e
| beta multicasts beta:3 to c, d, e

multicast alpha:3 to a,b,c,d,e
| alpha multicasts alpha:3 to a, b, c, d, e

beta > c submit beta:1
| c receives beta:1 from beta
|   sends data(beta:1, 0, 0) to d
|   sends data(beta:1, 0, 0) to e
|   delivers beta:1

c > d data beta:1
| d receives data(beta:1, 0, 0) from c
|   delivers beta:1

beta > c submit beta:2
| c receives beta:2 from beta
|   sends data(beta:2, 0, 0) to d
|   sends data(beta:2, 0, 0) to e
|   delivers beta:2

alpha > a submit alpha:3
| a receives alpha:3 from alpha
|   sends data(alpha:3, 0, 0) to b
|   sends data(alpha:3, 0, 0) to c
|   delivers alpha:3

a > b data alpha:3
| b receives data(alpha:3, 0, 0) from a
|   delivers alpha:3

a > c data alpha:3
| c receives data(alpha:3, 0, 0) from a
|   sends data(alpha:3, 0, 0) to d
|   sends data(alpha:3, 0, 0) to e
|   delivers alpha:3

beta > c submit beta:3
| c receives beta:3 from beta
|   sends data(beta:3, 0, 0) to d
|   sends data(beta:3, 0, 0) to e
|   delivers beta:3

a suspects c
| a suspects c
|   sends stop(-, 1) to b
|   sends stop(-, 1) to d
|   sends stop(-, 1) to e

a > b stop -
| b receives stop(-, 1) from a
|   sends report(gamma:1,alpha:1,alpha:2,alpha:3, 1) to a

a > d stop -
| d receives stop(-, 1) from a
|   sends report(alpha:1,alpha:2,beta:1, 1) to a

a > e stop -
| e receives stop(-, 1) from a
|   sends report(alpha:1,alpha:2, 1) to a

b > a report gamma:1,alpha:1,alpha:2,alpha:3
| a receives report(gamma:1,alpha:1,alpha:2,alpha:3, 1) from b

d > a report alpha:1,alpha:2,beta:1
| a receives report(alpha:1,alpha:2,beta:1, 1) from d

e > a report alpha:1,alpha:2
| a receives report(alpha:1,alpha:2, 1) from e
|   sends continue(gamma:1,alpha:1,alpha:2,beta:1,alpha:3, 1) to b
|   sends continue(gamma:1,alpha:1,alpha:2,beta:1,alpha:3, 1) to d
|   sends continue(gamma:1,alpha:1,alpha:2,beta:1,alpha:3, 1) to e

a > b continue gamma:1,alpha:1,alpha:2,beta:1,alpha:3
| b receives continue(gamma:1,alpha:1,alpha:2,beta:1,alpha:3, 1) from a

a > d continue gamma:1,alpha:1,alpha:2,beta:1,alpha:3
| d receives continue(gamma:1,alpha:1,alpha:2,beta:1,alpha:3, 1) from a
|   delivers alpha:3

a > e continue gamma:1,alpha:1,alpha:2,beta:1,alpha:3
| e receives continue(gamma:1,alpha:1,alpha:2,beta:1,alpha:3, 1) from a
|   delivers beta:1
|   delivers alpha:3

multicast beta:2 to c,d,e
| beta multicasts beta:2 to c, d, e

multicast beta:3 to c,d,e
| beta multicasts beta:3 to c, d, e

beta > d submit beta:2
| d receives beta:2 from beta
|   sends data(beta:2, 1, 0) to e
|   delivers beta:2

beta > d submit beta:3
| d receives beta:3 from beta
|   sends data(beta:3, 1, 0) to e
|   delivers beta:3

d > e data beta:2
| e receives data(beta:2, 1, 0) from d
|   delivers beta:2

d > e data beta:3
| e receives data(beta:3, 1, 0) from d
|   delivers beta:3

c > e data beta:1
| e receives data(beta:1, 0, 0) from c

c > d data beta:2
| d receives data(beta:2, 0, 0) from c

a trusts c
| a trusts c
|   sends stop(-, 2) to b
|   sends stop(-, 2) to c
|   sends stop(-, 2) to d
|   sends stop(-, 2) to e

settle
| e receives data(beta:2, 0, 0) from c
| d receives data(alpha:3, 0, 0) from c
| e receives data(alpha:3, 0, 0) from c
| d receives data(beta:3, 0, 0) from c
| e receives data(beta:3, 0, 0) from c
| b receives stop(-, 2) from a
|   sends report(gamma:1,alpha:1,alpha:2,beta:1,alpha:3, 2) to a
| c receives stop(-, 2) from a
|   sends report(alpha:1,alpha:2,beta:1,beta:2,alpha:3,beta:3, 2) to a
| d receives stop(-, 2) from a
|   sends report(gamma:1,alpha:1,alpha:2,beta:1,alpha:3,beta:2,beta:3, 2) to a
| e receives stop(-, 2) from a
|   sends report(gamma:1,alpha:1,alpha:2,beta:1,alpha:3,beta:2,beta:3, 2) to a
| a receives report(gamma:1,alpha:1,alpha:2,beta:1,alpha:3, 2) from b
| a receives report(alpha:1,alpha:2,beta:1,beta:2,alpha:3,beta:3, 2) from c
| a receives report(gamma:1,alpha:1,alpha:2,beta:1,alpha:3,beta:2,beta:3, 2) from d
| a receives report(gamma:1,alpha:1,alpha:2,beta:1,alpha:3,beta:2,beta:3, 2) from e
|   sends continue(gamma:1,alpha:1,alpha:2,beta:1,alpha:3,beta:2,beta:3, 2) to b
|   sends continue(gamma:1,alpha:1,alpha:2,beta:1,alpha:3,beta:2,beta:3, 2) to c
|   sends continue(gamma:1,alpha:1,alpha:2,beta:1,alpha:3,beta:2,beta:3, 2) to d
|   sends continue(gamma:1,alpha:1,alpha:2,beta:1,alpha:3,beta:2,beta:3, 2) to e
| b receives continue(gamma:1,alpha:1,alpha:2,beta:1,alpha:3,beta:2,beta:3, 2) from a
| c receives continue(gamma:1,alpha:1,alpha:2,beta:1,alpha:3,beta:2,beta:3, 2) from a
|   takes back beta:2 alpha:3 beta:3
|   delivers alpha:3
|   delivers beta:2
|   delivers beta:3
| d receives continue(gamma:1,alpha:1,alpha:2,beta:1,alpha:3,beta:2,beta:3, 2) from a
| e receives continue(gamma:1,alpha:1,alpha:2,beta:1,alpha:3,beta:2,beta:3, 2) from a

| a delivered gamma:1 alpha:1 alpha:2 alpha:3
| b delivered gamma:1 alpha:1 alpha:2 alpha:3
| c delivered alpha:1 alpha:2 beta:1 alpha:3 beta:2 beta:3
| d delivered alpha:1 alpha:2 beta:1 alpha:3 beta:2 beta:3
| e delivered alpha:1 alpha:2 beta:1 alpha:3 beta:2 beta:3
