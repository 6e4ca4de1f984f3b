# mutant LosesEarlyAcks
# g1's ACK reaches g2 before g0's MSG does.
groups g0 g1 g2
multicast m:1 to g0,g1,g2
m > g0 submit m:1
g0 > g1 msg m:1
g1 > g2 ack m:1
g0 > g2 msg m:1
settle
