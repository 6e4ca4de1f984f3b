# mutant OneAnswerPerGroup
# g2 is asked about m by g0 and by g1; its first answer is taken for the second.
groups g0 g1 g2 g3
multicast z:1 to g0,g2
multicast m:1 to g0,g1,g3
multicast x:1 to g1,g2
multicast y:1 to g2,g3
z > g0 submit z:1
m > g0 submit m:1
g0 > g2 msg z:1
g0 > g2 notif m:1
g2 > g3 ack m:1
x > g1 submit x:1
g0 > g1 msg m:1
y > g2 submit y:1
g1 > g2 msg x:1
g0 > g3 msg m:1
g1 > g3 ack m:1
g2 > g3 msg y:1
settle
