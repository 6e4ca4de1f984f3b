# mutant SendsOwnDeliveries
# g1 has learned from g0 that a precedes b, and must pass it on with c.
groups g0 g1 g2
multicast a:1 to g0,g2
multicast b:1 to g0,g1
multicast c:1 to g1,g2
a > g0 submit a:1
b > g0 submit b:1
g0 > g1 msg b:1
c > g1 submit c:1
g1 > g2 msg c:1
g0 > g2 msg a:1
settle
