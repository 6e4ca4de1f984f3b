# protocol skeen
# The first valid example of section 2.3 of the thesis on BaseCast: Alice sends foo:1 to g1 and
# foo:2 to both, Bob var:1 to g2 and var:2 to both. Local messages go where they like, those to
# both groups come in one order.
groups g1 g2

multicast foo:1 to g1
| foo multicasts foo:1 to g1

multicast foo:2 to g1,g2
| foo multicasts foo:2 to g1, g2

multicast var:1 to g2
| var multicasts var:1 to g2

multicast var:2 to g1,g2
| var multicasts var:2 to g1, g2

foo > g1 submit foo:1
| g1 receives foo:1 from foo
|   delivers foo:1

foo > g1 submit foo:2
| g1 receives foo:2 from foo
|   sends timestamp(foo:2, 2) to g2

foo > g2 submit foo:2
| g2 receives foo:2 from foo
|   sends timestamp(foo:2, 1) to g1

var > g2 submit var:1
| g2 receives var:1 from var

var > g1 submit var:2
| g1 receives var:2 from var
|   sends timestamp(var:2, 3) to g2

var > g2 submit var:2
| g2 receives var:2 from var
|   sends timestamp(var:2, 3) to g1

settle
| g2 receives timestamp(foo:2, 2) from g1
|   delivers foo:2
|   delivers var:1
| g1 receives timestamp(foo:2, 1) from g2
|   delivers foo:2
| g2 receives timestamp(var:2, 3) from g1
|   delivers var:2
| g1 receives timestamp(var:2, 3) from g2
|   delivers var:2

| g1 delivered foo:1 foo:2 var:2
| g2 delivered foo:2 var:1 var:2
