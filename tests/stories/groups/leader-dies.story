# protocol skeen
# The leader of g1 dies after its log has decided, and before it has sent its timestamp.
groups g1 g2

elect g1/0
| g1/0 leads g1, and all of g1 know

elect g2/0
| g2/0 leads g2, and all of g2 know

multicast c1:1 to g1,g2
| c1 multicasts c1:1 to g1, g2
|   sends submit(c1:1) to g1/0, g2/0

# g1 decides: two of three have written it down. Its leader applies it and dies.
c1 > g1/0 submit
| g1/0 receives submit(c1:1) from c1
|   sends accept(slot 1: c1:1) to g1/1, g1/2
|   writes its vote: slot 1: c1:1, ballot 1 of g1/0
|   waits until its disk has it
|   tells itself accepted(slot 1)

g1/0 > g1/1 accept
| g1/1 receives accept(slot 1: c1:1) from g1/0
|   writes its vote: slot 1: c1:1, ballot 1 of g1/0
|   waits until its disk has it
|   sends accepted(slot 1) to g1/0

lose g1/0 > g1/2 accept
| accept(slot 1: c1:1) from g1/0 is lost

g1/1 > g1/0 accepted, crash before timestamp
| g1/0 receives accepted(slot 1) from g1/1
|   applies slot 1: c1:1
|   crashes before it sends timestamp(c1:1, 1) to g2/0

# g2 knows nothing of this. Its timestamp goes to a leader that is no more.
c1 > g2/0 submit
| g2/0 receives submit(c1:1) from c1
|   sends accept(slot 1: c1:1) to g2/1, g2/2
|   writes its vote: slot 1: c1:1, ballot 1 of g2/0
|   waits until its disk has it
|   tells itself accepted(slot 1)

g2/0 > g2/1 accept
| g2/1 receives accept(slot 1: c1:1) from g2/0
|   writes its vote: slot 1: c1:1, ballot 1 of g2/0
|   waits until its disk has it
|   sends accepted(slot 1) to g2/0

g2/1 > g2/0 accepted
| g2/0 receives accepted(slot 1) from g2/1
|   applies slot 1: c1:1
|   sends timestamp(c1:1, 1) to g1/0

g2/0 > g2/2 accept
| g2/2 receives accept(slot 1: c1:1) from g2/0
|   writes its vote: slot 1: c1:1, ballot 1 of g2/0
|   waits until its disk has it
|   sends accepted(slot 1) to g2/0

g2/2 > g2/0 accepted
| g2/0 receives accepted(slot 1) from g2/2

g2/0 > g1/0 timestamp
| g1/0 is down: timestamp(c1:1, 1) from g2/0 is lost

# g1/2 hears no leader any more. It has never heard of c1:1 either: g1/1 tells it.
fire g1/1 election
| the election timer of g1/1 runs out
|   has heard a leader since it last ran out

fire g1/2 election
| the election timer of g1/2 runs out
|   has heard a leader since it last ran out

fire g1/2 election
| the election timer of g1/2 runs out
|   sends canvass to g1/0, g1/1

g1/2 > g1/0 canvass
| g1/0 is down: canvass from g1/2 is lost

g1/2 > g1/1 canvass
| g1/1 receives canvass from g1/2
|   sends support to g1/2

g1/1 > g1/2 support
| g1/2 receives support from g1/1
|   writes its promise: ballot 2 of g1/2
|   waits until its disk has it
|   sends prepare(ballot 2 of g1/2) to g1/0, g1/1
|   waits until its disk has it
|   tells itself promise(accepted nothing)

g1/2 > g1/0 prepare
| g1/0 is down: prepare(ballot 2 of g1/2) from g1/2 is lost

g1/2 > g1/1 prepare
| g1/1 receives prepare(ballot 2 of g1/2) from g1/2
|   writes its promise: ballot 2 of g1/2
|   waits until its disk has it
|   sends promise(accepted slot 1: c1:1) to g1/2

g1/1 > g1/2 promise
| g1/2 receives promise(accepted slot 1: c1:1) from g1/1
|   leads g1 with ballot 2 of g1/2
|   sends accept(slot 1: c1:1) to g1/0, g1/1
|   writes its vote: slot 1: c1:1, ballot 2 of g1/2
|   sends heartbeat(chosen up to slot 0) to g1/0, g1/1
|   waits until its disk has it
|   tells itself accepted(slot 1)

g1/2 > g1/1 accept
| g1/1 receives accept(slot 1: c1:1) from g1/2
|   writes its vote: slot 1: c1:1, ballot 2 of g1/2
|   waits until its disk has it
|   sends accepted(slot 1) to g1/2

g1/1 > g1/2 accepted
| g1/2 receives accepted(slot 1) from g1/1
|   applies slot 1: c1:1
|   sends timestamp(c1:1, 1) to g2/0

# The successor applies the same entry, so it sends the same timestamp, under the same number.
g1/2 > g2/0 timestamp
| g2/0 receives timestamp(c1:1, 1) from g1/2
|   sends accept(slot 2: timestamp(c1:1, 1) from g1) to g2/1, g2/2
|   writes its vote: slot 2: timestamp(c1:1, 1) from g1, ballot 1 of g2/0
|   waits until its disk has it
|   tells itself accepted(slot 2)

g2/0 > g2/1 accept
| g2/1 receives accept(slot 2: timestamp(c1:1, 1) from g1) from g2/0
|   applies slot 1: c1:1
|   keeps timestamp(c1:1, 1) for g1; the leader sends it
|   writes its vote: slot 2: timestamp(c1:1, 1) from g1, ballot 1 of g2/0
|   waits until its disk has it
|   sends accepted(slot 2) to g2/0

g2/1 > g2/0 accepted
| g2/0 receives accepted(slot 2) from g2/1
|   applies slot 2: timestamp(c1:1, 1) from g1
|   delivers c1:1, and replies to c1
|   sends ack(up to 1) to g1/0, g1/1, g1/2

# g2 has delivered, but its own timestamp was lost. It is in the outbox until g1 acknowledges it, and
# after a while g2 asks whoever leads g1 now.
fire g2/0 resend
| the resend timer of g2/0 runs out
|   sends question(what is in your log?) to g1/0, g1/1, g1/2

g2/0 > g1/1 question
| g1/1 receives question(what is in your log?) from g2/0

g2/0 > g1/2 question
| g1/2 receives question(what is in your log?) from g2/0
|   sends ack(up to 0) to g2/0, g2/1, g2/2

g1/2 > g2/0 ack
| g2/0 receives ack(up to 0) from g1/2
|   sends timestamp(c1:1, 1) to g1/2

g2/0 > g1/2 timestamp
| g1/2 receives timestamp(c1:1, 1) from g2/0
|   sends accept(slot 2: timestamp(c1:1, 1) from g2) to g1/0, g1/1
|   writes its vote: slot 2: timestamp(c1:1, 1) from g2, ballot 2 of g1/2
|   waits until its disk has it
|   tells itself accepted(slot 2)

g1/2 > g1/1 accept
| g1/1 receives accept(slot 2: timestamp(c1:1, 1) from g2) from g1/2
|   applies slot 1: c1:1
|   keeps timestamp(c1:1, 1) for g2; the leader sends it
|   writes its vote: slot 2: timestamp(c1:1, 1) from g2, ballot 2 of g1/2
|   waits until its disk has it
|   sends accepted(slot 2) to g1/2

g1/1 > g1/2 accepted
| g1/2 receives accepted(slot 2) from g1/1
|   applies slot 2: timestamp(c1:1, 1) from g2
|   delivers c1:1, and replies to c1
|   sends ack(up to 1) to g2/0, g2/1, g2/2

settle
| g1/0 is down: accept(slot 1: c1:1) from g1/2 is lost
| g1/0 is down: heartbeat(chosen up to slot 0) from g1/2 is lost
| g1/1 receives heartbeat(chosen up to slot 0) from g1/2
|   sends heartbeatack to g1/2
| g2/2 receives accept(slot 2: timestamp(c1:1, 1) from g1) from g2/0
|   applies slot 1: c1:1
|   keeps timestamp(c1:1, 1) for g1; the leader sends it
|   writes its vote: slot 2: timestamp(c1:1, 1) from g1, ballot 1 of g2/0
|   waits until its disk has it
|   sends accepted(slot 2) to g2/0
| g1/0 is down: ack(up to 1) from g2/0 is lost
| g1/1 receives ack(up to 1) from g2/0
|   keeps timestamp(c1:1, 1) for g2 no longer
| g1/2 receives ack(up to 1) from g2/0
|   keeps timestamp(c1:1, 1) for g2 no longer
| g1/0 is down: question(what is in your log?) from g2/0 is lost
| g2/1 receives ack(up to 0) from g1/2
| g2/2 receives ack(up to 0) from g1/2
| g1/0 is down: accept(slot 2: timestamp(c1:1, 1) from g2) from g1/2 is lost
| g2/0 receives ack(up to 1) from g1/2
|   keeps timestamp(c1:1, 1) for g1 no longer
| g2/1 receives ack(up to 1) from g1/2
|   keeps timestamp(c1:1, 1) for g1 no longer
| g2/2 receives ack(up to 1) from g1/2
|   keeps timestamp(c1:1, 1) for g1 no longer
| g1/2 receives heartbeatack from g1/1
| g2/0 receives accepted(slot 2) from g2/2

# Both groups have delivered. The followers learn by the next heartbeat how far the log is chosen.
fire g1/2 heartbeat
| the heartbeat timer of g1/2 runs out
|   sends heartbeat(chosen up to slot 2) to g1/0, g1/1

fire g2/0 heartbeat
| the heartbeat timer of g2/0 runs out
|   sends heartbeat(chosen up to slot 2) to g2/1, g2/2

settle
| g1/0 is down: heartbeat(chosen up to slot 2) from g1/2 is lost
| g1/1 receives heartbeat(chosen up to slot 2) from g1/2
|   applies slot 2: timestamp(c1:1, 1) from g2
|   delivers c1:1
|   sends heartbeatack to g1/2
| g2/1 receives heartbeat(chosen up to slot 2) from g2/0
|   applies slot 2: timestamp(c1:1, 1) from g1
|   delivers c1:1
|   sends heartbeatack to g2/0
| g2/2 receives heartbeat(chosen up to slot 2) from g2/0
|   applies slot 2: timestamp(c1:1, 1) from g1
|   delivers c1:1
|   sends heartbeatack to g2/0
| g1/2 receives heartbeatack from g1/1
| g2/0 receives heartbeatack from g2/1
| g2/0 receives heartbeatack from g2/2

# The dead leader comes back with its disk, and is told what it missed.
restart g1/0
| g1/0 restarts with its disk: 3 records

fire g1/2 heartbeat
| the heartbeat timer of g1/2 runs out
|   sends heartbeat(chosen up to slot 2) to g1/0, g1/1

settle
| g1/0 receives heartbeat(chosen up to slot 2) from g1/2
|   sends heartbeatack to g1/2
|   sends catchup(after slot 0) to g1/2
| g1/1 receives heartbeat(chosen up to slot 2) from g1/2
|   sends heartbeatack to g1/2
| g1/2 receives heartbeatack from g1/0
| g1/2 receives catchup(after slot 0) from g1/0
|   sends learn(slot 1: c1:1, slot 2: timestamp(c1:1, 1) from g2) to g1/0
| g1/2 receives heartbeatack from g1/1
| g1/0 receives learn(slot 1: c1:1, slot 2: timestamp(c1:1, 1) from g2) from g1/2
|   applies slot 1: c1:1
|   applies slot 2: timestamp(c1:1, 1) from g2
|   keeps timestamp(c1:1, 1) for g2; the leader sends it
|   writes its vote: slot 1: c1:1, ballot 2 of g1/2
|   writes its vote: slot 2: timestamp(c1:1, 1) from g2, ballot 2 of g1/2
|   delivers c1:1

# The reply of g1 was lost: the client tries again, which orders nothing twice.
c1 asks g1/2 again
| c1 has no reply from g1 and tries again
|   sends submit(c1:1) to g1/2
|   sends inquiry(c1:1) to g1/2
| g1/2 receives submit(c1:1) from c1
|   has that in its log already
| g1/2 receives inquiry(c1:1) from c1
|   replies to c1: c1:1 is delivered

# While g1/0 was down g2 acknowledged the timestamp, so g1/0 still keeps it. When it leads again it
# sends all that it keeps, and g2 drops the repeat.
fire g1/0 election
| the election timer of g1/0 runs out
|   has heard a leader since it last ran out

fire g1/1 election
| the election timer of g1/1 runs out
|   has heard a leader since it last ran out

fire g1/0 election
| the election timer of g1/0 runs out
|   sends canvass to g1/1, g1/2

settle
| g1/1 receives canvass from g1/0
|   sends support to g1/0
| g1/2 receives canvass from g1/0
| g1/0 receives support from g1/1
|   writes its promise: ballot 3 of g1/0
|   waits until its disk has it
|   sends prepare(ballot 3 of g1/0) to g1/1, g1/2
|   waits until its disk has it
|   tells itself promise(accepted nothing)
| g1/1 receives prepare(ballot 3 of g1/0) from g1/0
|   writes its promise: ballot 3 of g1/0
|   waits until its disk has it
|   sends promise(accepted nothing) to g1/0
| g1/2 receives prepare(ballot 3 of g1/0) from g1/0
|   writes its promise: ballot 3 of g1/0
|   leads no more
|   waits until its disk has it
|   sends promise(accepted nothing) to g1/0
| g1/0 receives promise(accepted nothing) from g1/1
|   leads g1 with ballot 3 of g1/0
|   sends timestamp(c1:1, 1) to g2/0, g2/1, g2/2
|   sends heartbeat(chosen up to slot 2) to g1/1, g1/2
| g1/0 receives promise(accepted nothing) from g1/2
| g2/0 receives timestamp(c1:1, 1) from g1/0
|   has that in its log already
|   sends ack(up to 1) to g1/0, g1/1, g1/2
| g2/1 receives timestamp(c1:1, 1) from g1/0
|   has that in its log already
| g2/2 receives timestamp(c1:1, 1) from g1/0
|   has that in its log already
| g1/1 receives heartbeat(chosen up to slot 2) from g1/0
|   sends heartbeatack to g1/0
| g1/2 receives heartbeat(chosen up to slot 2) from g1/0
|   sends heartbeatack to g1/0
| g1/0 receives ack(up to 1) from g2/0
|   keeps timestamp(c1:1, 1) for g2 no longer
| g1/1 receives ack(up to 1) from g2/0
| g1/2 receives ack(up to 1) from g2/0
| g1/0 receives heartbeatack from g1/1
| g1/0 receives heartbeatack from g1/2

| g1/0 delivered c1:1
| g1/1 delivered c1:1
| g1/2 delivered c1:1
| g2/0 delivered c1:1
| g2/1 delivered c1:1
| g2/2 delivered c1:1
