# mutant SendsVerticesOnce
# g2 orders a before b; that both exist is no news to g3, that one precedes the other is.
groups g0 g1 g2 g3
multicast a:1 to g0,g2,g3
multicast b:1 to g1,g2,g3
a > g0 submit a:1
b > g1 submit b:1
g0 > g2 msg a:1
g1 > g2 msg b:1
g1 > g3 msg b:1
g2 > g3 ack a:1
g2 > g3 ack b:1
g0 > g3 msg a:1
settle
