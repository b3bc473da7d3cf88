"""GSL101-GSL109: files, folders and functions from which no rule can be had."""

from __future__ import annotations

from gslverify.codes.example import rule_file
from gslverify.finding import RuleResult, Verdict, code

FILE_DOES_NOT_IMPORT = code(
    "GSL101",
    "file-does-not-import",
    "the rule file cannot be imported",
    Verdict.ERROR,
    meaning="""Python raised an exception while the file was imported, or the file ended the process
or did not come to an end within the time that --load-timeout sets, so none of its rules could be
collected. The place is the last line of the file that was running. Other files are verified as
usual.""",
    bad="import gsl.patterns\n",
    good="import gsl.pat\n",
)

RULE_RAISES = code(
    "GSL102",
    "rule-raises",
    "the rule cannot be written down",
    Verdict.ERROR,
    meaning="""The function under @rule ran and failed with an exception that is not about the
language, such as a misspelt variable; or it ended the process, or did not come to an end within the
time that --load-timeout sets. Other rules of the file are verified as usual.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(y))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x))
        '''
    ),
)

_IDEMPOTENT = '''
def example() -> Subst:
    """relu(relu(x))  =>  relu(x)"""
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))
'''

DUPLICATE_NAME = code(
    "GSL103",
    "duplicate-name",
    "a rule name is used twice in one file",
    Verdict.FAIL,
    meaning="""Two rules of one file have the same name. Python keeps only the second, and the id
of a rule would not say which one is meant, so neither is verified.""",
    bad=rule_file(_IDEMPOTENT) + "\n\n@rule()" + _IDEMPOTENT,
    good=rule_file(_IDEMPOTENT) + "\n\n@rule()" + _IDEMPOTENT.replace("example", "another"),
)

NOT_A_SUBST = code(
    "GSL104",
    "not-a-subst",
    "the rule does not return a Subst",
    Verdict.ERROR,
    meaning="The function under @rule has to end with `return Subst(source, target)`.",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            Subst(op.Relu(op.Relu(x)), op.Relu(x))
        '''
    ),
    good=rule_file(_IDEMPOTENT),
)

PATH_MISSING = code(
    "GSL105",
    "path-missing",
    "there is no file or folder of that name, or none that can be read",
    Verdict.ERROR,
    meaning="""A path on the command line leads nowhere, or to a folder that this user may not look
into. Paths are relative to the working directory, else to the project. Rules of the other paths are
verified as usual.""",
)

RULE_MISSING = code(
    "GSL106",
    "rule-missing",
    "the file has no rule of that name",
    Verdict.ERROR,
    meaning="""A rule was asked for by `file.py::name`, and the file has no function of that name
under @rule. `gslverify list file.py` shows those it has.""",
)

NO_RULES = code(
    "GSL107",
    "no-rules",
    "a file or folder holds no rules",
    Verdict.ERROR,
    meaning="""Nothing was verified because there is no function under @rule in any of the Python
files. Names that begin with a dot or with two underscores are passed over.""",
)

MISUSED_DECORATOR = code(
    "GSL108",
    "misused-decorator",
    "@rule is not used as it should be",
    Verdict.FAIL,
    meaning="""A rule is a function without arguments under `@rule` or `@rule(tags={"conv"}, ...)`.
Tags are a set or list of words; `origin`, `expect`, `reason` and `twin` are texts, and `reason`
says why the failure is known that `expect` names. There is no `tolerance`: how far both sides may
be apart is worked out for every example. `ASSUME` and the `where` of `@rules(...)` are lists of
assumptions (`gsl.assume`) or of functions of an input. Where `@rule` stands above
something else than a function, nothing of the file is verified, since importing it ends there.""",
    bad=rule_file(_IDEMPOTENT).replace("@rule()", '@rule("name")'),
    good=rule_file(_IDEMPOTENT),
)

PATCHES = code(
    "GSL109",
    "patches",
    "the file changes what rules are judged by",
    Verdict.ERROR,
    meaning="""The file, or one of its rules, puts something else in the place of a function or a
class of Python, NumPy or gsl, such as `numpy.maximum`. Whatever was found out about its rules would
be about the changed functions, so none of them is verified. Other files are verified in processes
of their own, where nothing has changed. Declare an operator of your own instead, or change a
copy.""",
    bad="import numpy\n\nnumpy.maximum = numpy.minimum\n" + rule_file(_IDEMPOTENT),
    good=rule_file(_IDEMPOTENT),
)

WITHOUT_RULE = (FILE_DOES_NOT_IMPORT, MISUSED_DECORATOR, PATH_MISSING, RULE_MISSING, NO_RULES)
"""Codes about what was asked for and gave no rule, so that nothing can be counted as one."""

SELECTION = (PATH_MISSING, RULE_MISSING, NO_RULES)
"""Codes about the command line and not about what is written in a rule file."""


def is_rule(result: RuleResult) -> bool:
    """Tell whether a result is about a rule, and not about a path or file that gave none."""
    codes = {finding.code for finding in result.findings}
    if MISUSED_DECORATOR in codes:
        return "::" in result.rule_id
    return codes.isdisjoint(WITHOUT_RULE)
