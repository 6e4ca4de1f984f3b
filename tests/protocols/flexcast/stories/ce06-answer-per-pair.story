# mutant OneAnswerPerPair
# g2 asks g3 about m twice, the second time because of w; the first answer is taken for both.
groups g0 g1 g2 g3 g4
multicast z:1 to g0,g2
multicast w:1 to g2,g3
multicast m:1 to g0,g1,g4
multicast x:1 to g1,g2
multicast w:2 to g2,g3
multicast y:1 to g3,g4
w > g2 submit w:1
g2 > g3 msg w:1
z > g0 submit z:1
m > g0 submit m:1
g0 > g2 msg z:1
g0 > g2 notif m:1
g2 > g3 notif m:1
x > g1 submit x:1
g0 > g1 msg m:1
w > g2 submit w:2
g1 > g2 msg x:1
g1 > g2 notif m:1
y > g3 submit y:1
g0 > g4 msg m:1
g1 > g4 ack m:1
g2 > g4 ack m:1
g2 > g4 ack m:1 #2
g3 > g4 ack m:1
g3 > g4 msg y:1
settle
