"""The page about the corpus, made from the JSON reports of real runs.

gslverify rule_corpus/ --report json=corpus.json
gslverify mutate rule_corpus/ --sample 2000 --seed 11 --output-format json -o mutants.json
python docs/corpus_page.py corpus.json mutants.json > docs/explanation/corpus.md
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gsl.flags import in_order
from gsl.subst import Rule
from gslverify.corpus.collect import CollectedRule, collect

TITLE = """# The corpus in figures

Made by `docs/corpus_page.py` from the reports of a run; its first lines say how to make it anew.
"""
COLUMNS = ("rules", "proved", "identity", "exact", "broken", "seconds", "mutants killed")
COUNTS = (*COLUMNS[:-1], "killed", "survived")
"""What is added up for the columns: the share of mutants comes from two numbers."""
EXPLAINED = """*Proved*: elements equal for all sizes, over real numbers and wrapping integers.
*Identity*: the same functions at the shapes tried, by random testing modulo primes. *Exact*: equal
bit for bit on every graph, on NumPy and on TVM. *Broken* are rules beside these that are wrong,
each refuted by the code it names. *Seconds* are those of all stages of the sound rules. *Mutants
killed* is the mutation score of these rules, of the mutants that were drawn and count. A rule that
several systems have counts for each of them.
"""

LISTED = "TensorRight: "
ABOUT_THE_LIST = """The list of XLA's rules that TensorRight proves, as far as it is in the corpus:
{rules} of its rules, {proved} of them proved here. A rule can state several, and with other
operators: a range of indices is a slice, DynamicUpdateSlice writes along one axis, padding between
elements is a new axis that is padded and reshaped away, and a range along one of several axes is
one that is broadcast. Left out is what Relax has nothing for, such as negative padding.
"""

MOST_NAMES = 12

Row = Sequence[float]
Kind = Callable[[Rule], Iterable[str]]


def page(report: Mapping[str, Any], mutation: Mapping[str, Any] | None, root: Path) -> str:
    """Return the page for the report of a run over the corpus in `root`.

    Raises KeyError when the report is of other rules than those there.
    """
    rules = {
        item.rule_id: item.rule for item in collect([str(root)]) if isinstance(item, CollectedRule)
    }
    results = {result["id"]: result for result in report["rules"]}
    seconds = {name: sum(stages.values()) for name, stages in report["timing"]["stages"].items()}
    mutants = {} if mutation is None else mutation["rules"]
    parts = [TITLE, _sentence(report), EXPLAINED]
    kinds: tuple[tuple[str, Kind], ...] = (("system", _systems), ("topic", _topic))
    for title, kind in kinds:
        rows = _rows(rules, results, seconds, mutants, kind)
        parts.append(f"## By {title}\n\n{_table(title, rows)}")
    parts += _listed(rules, results)
    parts += _flags(rules)
    if mutation is not None:
        parts.append(_about_mutants(mutation))
    return "\n".join(parts)


def _sentence(report: Mapping[str, Any]) -> str:
    tools = ", ".join(f"{name} {version}" for name, version in sorted(report["tool"].items()))
    return f"With {tools}; seed {report['run']['seed']}.\n"


def _systems(rule: Rule) -> set[str]:
    origins = rule.origin.split("; ")
    return {one.partition(":")[0].partition(",")[0] or "none named" for one in origins}


def _topic(rule: Rule) -> tuple[str]:
    return (Path(rule.span.file).stem.replace("_", " "),)


def _listed(rules: Mapping[str, Rule], results: Mapping[str, Any]) -> Iterator[str]:
    """Yield what became of each rule of a published list, if there are any."""
    rows = {}
    for rule_id, rule in rules.items():
        for origin in [] if rule.expect else rule.origin.split("; "):
            if origin.startswith(LISTED):
                assured = results[rule_id]["assurance"]
                rows[origin.removeprefix(LISTED)] = (rule.name, *_reached(assured))
    if rows:
        proved = sum(is_proved for _, _, is_proved in rows.values())
        lines = ["| its rule | rule here | assurance |", "|---|---|---|"]
        lines += [
            f"| {name} | `{here}` | {text} |" for name, (here, text, _) in sorted(rows.items())
        ]
        yield f"## {LISTED.partition(':')[0]}'s list\n"
        yield ABOUT_THE_LIST.format(rules=len(rows), proved=proved)
        yield "\n".join(lines) + "\n"


ABOUT_FLAGS = """What the sound rules declare that a compiler has to grant, in
[LLVM's words](flags.md); `none` are those that are exact to the last bit. Each flag was seen to be
needed, some of them not with every seed.
"""


def _flags(rules: Mapping[str, Rule]) -> Iterator[str]:
    """Yield how many sound rules declare which flags, and which rules these are."""
    names: dict[str, list[str]] = defaultdict(list)
    for rule in rules.values():
        if not rule.expect and rule.flags is not None:
            names[" ".join(in_order(rule.flags)) or "none"].append(rule.name)
    if names:
        rows = sorted(names.items(), key=lambda row: (-len(row[1]), row[0]))
        lines = ["| flags | rules | |", "|---|---:|---|"]
        for flags, own in rows:
            shown = [f"`{name}`" for name in sorted(own)[:MOST_NAMES]]
            more = ", ..." if len(own) > MOST_NAMES else ""
            lines.append(f"| {flags} | {len(own)} | {', '.join(shown)}{more} |")
        yield f"## Flags\n\n{ABOUT_FLAGS}"
        yield "\n".join(lines) + "\n"


def _reached(assured: Sequence[Mapping[str, Any]]) -> tuple[str, bool]:
    """Return the proof, or else what was computed, in words."""
    proofs = [one["text"] for one in assured if one["subject"] == "prove"]
    computed = [one["text"] for one in assured if not one["subject"]]
    return "; ".join(proofs or computed), bool(proofs)


def _rows(
    rules: Mapping[str, Rule],
    results: Mapping[str, Any],
    seconds: Mapping[str, float],
    mutants: Mapping[str, Mapping[str, int]],
    kind: Kind,
) -> dict[str, list[float]]:
    """Return COUNTS for each kind of rules, and those of all."""
    names = {rule.name: rule for rule in rules.values()}
    rows: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(COUNTS))
    for rule_id, rule in rules.items():
        if rule.expect:
            twin = names.get(rule.twin)
            numbers = (0, 0, 0, 0, 1, 0, 0, 0)
            about = twin or rule
        else:
            assured = results[rule_id]["assurance"]
            fates = mutants.get(rule_id, {})
            counted = (fates.get("killed", 0), fates.get("survived", 0))
            numbers = (1, *map(int, _levels(assured)), 0, seconds[rule_id], *counted)
            about = rule
        for name in (*kind(about), "all"):
            rows[name] = [one + other for one, other in zip(rows[name], numbers, strict=True)]
    total = rows.pop("all")
    return {**dict(sorted(rows.items(), key=lambda row: (-row[1][0], row[0]))), "all": total}


def _levels(assured: Iterable[Mapping[str, Any]]) -> tuple[bool, bool, bool]:
    proved = any(one["subject"] == "prove" for one in assured)
    texts = [one["text"] for one in assured if not one["subject"]]
    identity = any(text.startswith("identity") for text in texts)
    return proved, identity, any(text.startswith("exact") for text in texts)


def _table(title: str, rows: Mapping[str, Row]) -> str:
    lines = [f"| {title} | {' | '.join(COLUMNS)} |", f"|---|{'---:|' * len(COLUMNS)}"]
    for name, (*numbers, killed, survived) in rows.items():
        cells = [f"{number:.0f}" for number in numbers]
        lines.append(f"| {name} | {' | '.join([*cells, _share(killed, survived)])} |")
    return "\n".join(lines) + "\n"


def _share(killed: float, survived: float) -> str:
    return f"{100 * killed / (killed + survived):.0f} %" if killed + survived else "-"


def _about_mutants(mutation: Mapping[str, Any]) -> str:
    counts = ", ".join(f"{number} {fate}" for fate, number in mutation["summary"].items() if number)
    drawn = f", {mutation['left_out']} more not drawn" if mutation["left_out"] else ""
    return f"## Mutation score\n\n{mutation['score']} %: {counts}{drawn}.\n"


def main(arguments: Sequence[str]) -> None:
    """Print the page for the files that the command line names."""
    documents = [json.loads(Path(name).read_text(encoding="utf-8")) for name in arguments]
    report, *rest = documents
    print(page(report, rest[0] if rest else None, Path("rule_corpus")), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
