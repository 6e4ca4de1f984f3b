# mutant NotifWaitsForAll
# g2 parks the NOTIF for n behind p, which does not precede it, and answers after the flush.
groups g0 g1 g2 g3 g4
multicast w:1 to g2,g3
multicast u:1 to g0,g2
multicast n:1 to g0,g4
multicast flush:1 to g0,g1,g2,g3,g4
multicast p:1 to g1,g2
multicast y:1 to g3,g4
w > g2 submit w:1
u > g0 submit u:1
g0 > g2 msg u:1
n > g0 submit n:1
flush > g0 submit flush:1
g0 > g1 msg flush:1
p > g1 submit p:1
g1 > g2 ack flush:1
g1 > g2 msg p:1
g0 > g2 notif n:1
g0 > g2 msg flush:1
y > g3 submit y:1
g0 > g4 msg n:1
g2 > g4 ack flush:1
g2 > g4 ack n:1
g3 > g4 msg y:1
settle
