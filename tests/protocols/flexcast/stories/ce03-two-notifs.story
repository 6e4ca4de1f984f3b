# mutant AnswersOneNotif
# Two NOTIFs wait at g2 for w, which is delivered when g1's late ACK comes.
groups g0 g1 g2 g3
multicast w:1 to g0,g1,g2
multicast n:1 to g0,g3
multicast n:2 to g0,g3
w > g0 submit w:1
n > g0 submit n:1
n > g0 submit n:2
g0 > g1 msg w:1
g0 > g2 msg w:1
g0 > g2 notif n:1
g0 > g2 notif n:2
g1 > g2 ack w:1
settle
