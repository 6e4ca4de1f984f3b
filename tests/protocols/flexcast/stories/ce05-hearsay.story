# mutant NotifiesForOwnMessages
# g1 knows only by hearsay that w, to g2, precedes m, and must notify g2 all the same.
groups g0 g1 g2 g3
multicast w:1 to g0,g2
multicast x:1 to g0,g1
multicast m:1 to g1,g3
multicast y:1 to g2,g3
w > g0 submit w:1
x > g0 submit x:1
g0 > g1 msg x:1
m > g1 submit m:1
g1 > g3 msg m:1
y > g2 submit y:1
g0 > g2 msg w:1
g2 > g3 msg y:1
settle
