# mutant FlushForgetsAll
# g2 knows that w precedes x before it delivers the flush, which precedes both.
groups g0 g1 g2 g3
multicast flush:1 to g0,g1,g2,g3
multicast w:1 to g0,g3
multicast x:1 to g0,g2
multicast v:1 to g2,g3
flush > g0 submit flush:1
w > g0 submit w:1
x > g0 submit x:1
g0 > g2 msg flush:1
g0 > g2 msg x:1
g0 > g1 msg flush:1
g1 > g2 ack flush:1
v > g2 submit v:1
g0 > g3 msg flush:1
g1 > g3 ack flush:1
g2 > g3 ack flush:1
g2 > g3 msg v:1
g0 > g3 msg w:1
settle
