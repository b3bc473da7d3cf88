"""GSL7xx: what rules do to each other; all are warnings, as each rule may be right by itself."""

from __future__ import annotations

from gslverify.finding import Verdict, code

RULES_LOOP = code(
    "GSL701",
    "rules-loop",
    "rules undo each other without end",
    Verdict.PASS,
    meaning="""Applied one after the other, these rules lead from a graph back to the same graph, or
make it grow without end. Each of them may be right; a compiler that applies all of them to a
fixpoint never comes to an end. The graph is shown. Apply them in separate passes, or give one of
them a condition that excludes what the others make.""",
)

DUPLICATE_RULE = code(
    "GSL702",
    "duplicate-rule",
    "two rules say the same",
    Verdict.PASS,
    meaning="""The rules are equal but for the names in them, the order of the operands of
commutative operators, and attributes that are equal anyhow. Remove one of them.""",
)

SHADOWED_RULE = code(
    "GSL703",
    "shadowed-rule",
    "an earlier rule takes every match",
    Verdict.PASS,
    meaning="""On every graph tried that this rule matches, a rule that comes earlier matches at the
same place, so that this one is never applied. That is a test and not a proof. Put the special rule
before the general one, or remove it.""",
)

DERIVABLE_RULE = code(
    "GSL704",
    "derivable-rule",
    "other rules do the same together",
    Verdict.PASS,
    meaning="""On every graph tried, other rules of the library lead from what this rule matches to
what it makes of it. It may be worth having for its speed, or be superfluous.""",
)

NOT_WATCHED = code(
    "GSL706",
    "rule-not-watched",
    "no graph was found on which to watch a rule together with others",
    Verdict.PASS,
    meaning="""The solver gave up on the structures of the rule that were tried, or none of them is
rewritten. Nothing is known of what the rule does to others: it may loop with them, or be shadowed.
Conditions about the very sizes that the rule uses make graphs easier to find.""",
)

NAME_ELSEWHERE = code(
    "GSL707",
    "name-elsewhere",
    "a rule of another file has the same name",
    Verdict.PASS,
    meaning="""Rules of different files may be called alike, as their ids begin with the file. But
`twin=NAME`, `-k NAME` and the names in reports mean either of them then. Give one of them another
name.""",
)

NO_TERMINATION_MEASURE = code(
    "GSL705",
    "no-termination-measure",
    "no weights of operators show that the rules come to an end",
    Verdict.PASS,
    meaning="""Were there weights for operators such that every rule makes the weight of a graph
smaller, applying the rules would come to an end on any graph. The solver says that there are none,
not even in several layers, and names rules that stand in each other's way. The rules may come to an
end all the same, for a reason that weights do not show.""",
)
