# mutant WaitsForHigherGroups
# g0 notifies g2 about m; g1 reads so in its MSG, but g2 sends nothing to g1.
groups g0 g1 g2 g3
multicast z:1 to g0,g2
multicast m:1 to g0,g1,g3
settle
