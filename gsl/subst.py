"""Substitution rules: a source, a target, and the conditions under which one replaces the other."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib import import_module
from inspect import getdoc
from types import FunctionType
from typing import Any, TypeVar, overload

from gsl.assume import Assumption, assumed_in
from gsl.attr.size import oversize
from gsl.attr.term import ANYTHING, Term, as_term
from gsl.errors import RuleError, did_you_mean
from gsl.flags import OF_SPECIAL_VALUES, USUAL, in_order, wrong_flags
from gsl.graph import reverse_post_order
from gsl.pat import INPUTS, Const, Pattern, Variadic, as_pattern
from gsl.rule_arguments import NAN_POLICIES, wrong_argument, wrong_graphs
from gsl.rule_collector import added, is_collecting
from gsl.span import Span, here, is_made_up, line_of_file, resolve
from gsl.workload import Workload

Result = TypeVar("Result")


NOT_IN_ORDER = (str, Pattern, Mapping, AbstractSet)
"""What is no list of conditions: none of them, or several in an order that runs may differ in."""


class Subst:
    """A graph substitution rule (thesis, definition "graph substitution rule").

    Args:
        src: the source: a pattern, several for several outputs, or one `pat.Variadic` for as many
            outputs as can be matched.
        tgt: the target, with as many outputs.
        where: conditions over attributes of the source that must hold besides its constraints, or
            one condition. A `length` of a variadic pattern in the source is one of them.
        aliases: whether two inputs (`Wildcard`, `Variable`, `Const`) may stand for one tensor; by
            default only two constants may.

    A substitution keeps no match state: it may be applied repeatedly and concurrently. Its `flags`
    (`gsl.flags`) are those that its @rule declares; a compiler that grants fewer leaves it out.
    All conditions are in `where`: those that are `stated`, and the `assumptions` of its file.
    """

    def __init__(
        self, src: Any, tgt: Any, *, where: Iterable[Any] | Term = (), aliases: bool = False
    ) -> None:
        self.origin = here()
        self.source = _outputs(src)
        self.target = _outputs(tgt)
        where = (where,) if isinstance(where, Term) else where
        if not isinstance(where, Iterable) or isinstance(where, NOT_IN_ORDER):
            message = "the conditions of a rule are a list"
            raise RuleError("GSL143", message, resolve(self.origin), "write where=[...]")
        self.stated = tuple(map(as_term, where))
        self.assumptions: tuple[Term, ...] = ()
        self.where = (*self.stated, *self._lengths())
        self.aliases = aliases
        self.flags: frozenset[str] = USUAL
        self._derived: dict[Callable[[Subst], Any], Any] = {}
        self._require_moderate_terms()

    def assume(self, conditions: Iterable[Term]) -> None:
        """Demand what the file of the rule assumes, too; only before the substitution is used."""
        self.assumptions = tuple(conditions)
        self.where = (*self.stated, *self.assumptions, *self._lengths())

    def _lengths(self) -> Iterator[Term]:
        """Yield that tuples of the source have as many fields as a `length` says."""
        for pattern in self.source_patterns:
            if isinstance(pattern, Variadic) and pattern.size is not ANYTHING:
                yield pattern.length == pattern.size

    def _require_moderate_terms(self) -> None:
        written = [(term, p.origin) for p in self._patterns() for term in p.terms()]
        for term, origin in (*written, *((condition, self.origin) for condition in self.where)):
            if excess := oversize(term):
                place = resolve(getattr(term, "origin", None) or origin)
                cure = "use attr.Reduce, fewer operations, or smaller numbers"
                raise RuleError("GSL146", f"an attribute expression is {excess}", place, cure)

    def _patterns(self) -> Iterator[Pattern]:
        yield from self.source_patterns
        yield from self.target_patterns

    @property
    def span(self) -> Span | None:
        """Where the substitution was written."""
        return resolve(self.origin)

    @property
    def name(self) -> str:
        """The function that wrote the substitution, else its place."""
        function = self.origin[0].co_name if self.origin else "<unknown>"
        return f"the rule at {self.span}" if function.startswith("<") else function

    def derived(self, derive: Callable[[Subst], Result]) -> Result:
        """Return `derive(self)`, computed once: what modules above keep for a rule."""
        try:
            result: Result = self._derived[derive]
        except KeyError:
            result = self._derived[derive] = derive(self)
        return result

    @cached_property
    def outputs(self) -> frozenset[Pattern]:
        """The output patterns of the source."""
        return frozenset(self.source)

    @cached_property
    def aliased(self) -> frozenset[Pattern]:
        """The inputs that may stand for one tensor, if they are no outputs: constants, or all."""
        variadic = self.variadic
        fields = () if variadic is None else (variadic.field, variadic.first_of(variadic.field))
        outputs = {*self.source, *fields}
        kinds = INPUTS if self.aliases else Const
        inputs = [pattern for pattern in self.source_patterns if isinstance(pattern, kinds)]
        return frozenset(inputs) - outputs

    @property
    def variadic(self) -> Variadic | None:
        """The source, if its number of outputs is not fixed."""
        only = self.source[0] if len(self.source) == 1 else None
        return only if isinstance(only, Variadic) else None

    @cached_property
    def source_patterns(self) -> tuple[Pattern, ...]:
        """All patterns of the source in reverse post-order."""
        return tuple(reverse_post_order(self.source))

    @cached_property
    def target_patterns(self) -> tuple[Pattern, ...]:
        """All patterns of the target in reverse post-order, those shared with the source too."""
        return tuple(reverse_post_order(self.target))

    def __call__(self, workload: Workload) -> Workload:
        """Return `workload` rewritten by this rule until it matches nowhere.

        Raises RuleError when the rule is not well formed and RewriteError when the rewriting
        does not come to an end.
        """
        # The engine stands above rules, so it is found by name, as by the methods of `Workload`.
        result: Workload = import_module("gsl.engine.fixpoint").apply(workload, [self])
        return result


def _outputs(written: Any) -> tuple[Pattern, ...]:
    if isinstance(written, Sequence) and not isinstance(written, str):
        return tuple(as_pattern(item) for item in written)
    return (as_pattern(written),)


@dataclass(frozen=True, slots=True)
class Rule:
    """A named function that writes down a substitution, with what should be known about it.

    Calling the rule writes the substitution down anew.
    """

    name: str
    write: Callable[[], Subst]
    equation: str
    reason: str
    span: Span
    tags: frozenset[str] = field(default_factory=frozenset)
    origin: str = ""
    expect: str = ""
    expect_reason: str = ""
    twin: str = ""
    nan: str = NAN_POLICIES[0]
    flags: frozenset[str] | None = None
    semantics: str = ""
    must_match: tuple[Any, ...] = ()
    must_not_match: tuple[Any, ...] = ()
    assumptions: tuple[Assumption, ...] = ()

    @property
    def has_examples(self) -> bool:
        """Whether the author names graphs that have to match or must not."""
        return bool(self.must_match or self.must_not_match)

    @property
    def declared(self) -> frozenset[str] | None:
        """The flags (`gsl.flags`) that the rule declares, or else its file; None if neither."""
        if self.flags is not None or self.nan == "same":
            return self.flags
        said = [one.flags for one in self.all_assumptions if one.flags is not None]
        return said[-1] if said else None

    @property
    def all_assumptions(self) -> tuple[Assumption, ...]:
        """What the file of the rule assumes, then what the set of rules does that it is in."""
        return (*assumed_in(self.write), *self.assumptions)

    @property
    def assumed(self) -> frozenset[str]:
        """The flags (`gsl.flags`) that a compiler must grant: those declared, or the usual ones."""
        if (declared := self.declared) is not None:
            return declared
        return USUAL - OF_SPECIAL_VALUES if self.nan == "same" else USUAL

    @property
    def kept(self) -> frozenset[str]:
        """The flags of special values that the rule promises to do without."""
        if (declared := self.declared) is not None:
            return OF_SPECIAL_VALUES - declared
        return OF_SPECIAL_VALUES if self.nan == "same" else frozenset()

    def __call__(self) -> Subst:
        """Write the substitution down; raise RuleError when the function returns none."""
        subst = self.write()
        if not isinstance(subst, Subst):
            message = f"rule `{self.name}` returns {_shown(subst)} instead of a Subst"
            cure = "end it with `return Subst(...)`"
            if isinstance(subst, Coroutine):
                subst.close()  # nobody awaits it, which Python would complain of
                cure = "write `def` instead of `async def`"
            raise RuleError("GSL104", message, self.span, cure)
        subst.assume(term for one in self.all_assumptions for term in one.of(subst.source))
        subst.flags = self.assumed
        return subst


def _shown(value: object) -> str:
    """Return what a value looks like, or its kind where that would be another in every process."""
    text = repr(value)
    return f"a {type(value).__name__}" if " at 0x" in text else text


@overload
def rule(write: Callable[[], Subst], /) -> Rule:
    """Used as `@rule`: return the rule that a function writes."""


@overload
def rule(
    *,
    tags: Iterable[str] = (),
    origin: str = "",
    expect: str = "",
    reason: str = "",
    twin: str = "",
    nan: str = NAN_POLICIES[0],
    flags: Iterable[str] | None = None,
    semantics: str = "",
    must_match: Sequence[Any] = (),
    must_not_match: Sequence[Any] = (),
) -> Callable[[Callable[[], Subst]], Rule]:
    """Used as `@rule(tags=..., ...)`: return a decorator that makes a rule of a function."""


def rule(
    write: Callable[[], Subst] | None = None,
    /,
    *,
    tags: Iterable[str] = (),
    origin: str = "",
    expect: str = "",
    reason: str = "",
    twin: str = "",
    nan: str = NAN_POLICIES[0],
    flags: Iterable[str] | None = None,
    semantics: str = "",
    must_match: Sequence[Any] = (),
    must_not_match: Sequence[Any] = (),
    **unknown: Any,
) -> Rule | Callable[[Callable[[], Subst]], Rule]:
    """Turn a function that returns a Subst into a rule that can be collected and verified.

    Used as `@rule` or with arguments as `@rule(tags=..., ...)`. The first line of the function's
    docstring is the equation, the rest says why it holds.

    Args:
        tags: words to select rules by.
        origin: system, pass or document that the rule comes from.
        expect: code of the finding that must refute this rule, for rules wrong on purpose.
        reason: why it is known to be refuted, such as the number of an issue; goes with `expect`.
        twin: name of the sound rule that this wrong one was made from, or the other way round.
        nan: "same" is short for flags without nnan, ninf and nsz; "may-change" promises nothing.
        flags: all that the rule needs of `gsl.flags`, such as {"nsz", "reassoc"}; a change of
            special values, those by overflow as well, that they do not allow refutes it.
        semantics: system, such as "onnx", that defines operators on more values, which count, too.
        must_match, must_not_match: graphs in which the rule has to match, or must not: workloads,
            expressions, lists of these, or functions without arguments that return one.

    Raises RuleError for what is no function; a rule with wrong arguments raises it when called.
    """
    texts = (origin, expect, reason, twin, nan, semantics)
    said = _said(tags, texts, (must_match, must_not_match), flags, unknown)

    def declare(write: Callable[[], Subst]) -> Rule:
        if not isinstance(write, FunctionType):
            raise _misused(f"{_described(write)} is not a function")
        return _collected(replace(_declared(write), **said))

    return declare if write is None else declare(write)


TEXTS = ("origin", "expect", "reason", "twin", "nan", "semantics")
"""Arguments of `rule` that are texts."""


def _said(
    tags: Any, written: tuple[Any, ...], given: tuple[Any, Any], flags: Any, unknown: dict[str, Any]
) -> dict[str, Any]:
    """Return the fields of a Rule that arguments of `rule` give; wrong ones make it raise."""
    texts = dict(zip(TEXTS, written, strict=True))
    words, names = _listed(tags), _listed(flags)
    graphs = dict(zip(("must_match", "must_not_match"), given, strict=True))
    wrong = _unknown_argument(unknown) or wrong_argument(words, texts) or wrong_graphs(graphs)
    wrong = wrong or ("" if flags is None else _wrong_flags(names, texts["nan"]))
    if wrong:
        return {"write": partial(_refuse, _misused(wrong))}
    lists: dict[str, Any] = {name: tuple(given) for name, given in graphs.items()}
    texts["expect_reason"] = texts.pop("reason")
    lists["flags"] = None if flags is None else frozenset(names)
    return {"tags": frozenset(words), **texts, **lists}


def _listed(given: Any) -> Any:
    """Return what can be looked at more than once; a text is no list of its letters."""
    return given if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)


def _wrong_flags(names: Any, nan: str) -> str:
    wrong = wrong_flags(names)
    if wrong or nan != "same" or OF_SPECIAL_VALUES.isdisjoint(names):
        return wrong
    listed = ", ".join(in_order(OF_SPECIAL_VALUES.intersection(names)))
    return f'nan="same" promises to do without {listed}, which flags= asks for; drop one'


ARGUMENTS = tuple(rule.__kwdefaults__ or ())
"""Names of the arguments of `rule`."""


def _unknown_argument(unknown: dict[str, Any]) -> str:
    """Return what is wrong with arguments that `rule` does not have, or the empty string."""
    for name in unknown:
        if name == "tolerance":
            return "there is no tolerance: what rounding may do is worked out for every example"
        hint = did_you_mean(name, ARGUMENTS) or f"its arguments are {', '.join(ARGUMENTS)}"
        return f"@rule has no argument `{name}`; {hint}"
    return ""


def _refuse(error: RuleError) -> Subst:
    raise error


def _declared(write: FunctionType) -> Rule:
    equation, _, reason = (getdoc(write) or "").partition("\n")
    span = Span(write.__code__.co_filename, write.__code__.co_firstlineno)
    return Rule(write.__name__, write, equation.strip(), reason.strip(), span)


def _collected(declared: Rule) -> Rule:
    """Hand a rule to whoever collects; one made by `exec` then belongs to the file that runs it."""
    if is_collecting() and is_made_up(declared.span.file):
        declared = replace(declared, span=line_of_file() or declared.span)
    added(declared)
    return declared


def _described(found: Any) -> str:
    if isinstance(found, Rule):
        return f"the rule `{found.name}`, which has its @rule already,"
    return f"the class `{found.__name__}`" if isinstance(found, type) else repr(found)


def _misused(message: str) -> RuleError:
    cure = 'write @rule or @rule(tags={"word"}, ...) above a function without arguments'
    return RuleError("GSL108", message, resolve(here()), cure)
