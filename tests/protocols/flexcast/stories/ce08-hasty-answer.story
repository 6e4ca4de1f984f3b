# mutant AnswersAtOnce
# g2 is asked about m while w, which precedes m, is still on its way to it.
groups g0 g1 g2 g3
multicast w:1 to g0,g1,g2
multicast m:1 to g1,g3
multicast y:1 to g2,g3
w > g0 submit w:1
g0 > g1 msg w:1
m > g1 submit m:1
g1 > g2 ack w:1
g1 > g2 notif m:1
y > g2 submit y:1
g0 > g2 msg w:1
g1 > g3 msg m:1
g2 > g3 ack m:1
g2 > g3 msg y:1
settle
