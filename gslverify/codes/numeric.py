"""GSL4xx: values computed by source and target on generated graphs."""

from __future__ import annotations

from gslverify.codes.example import rule_file
from gslverify.finding import Verdict, code

OUTPUTS_DIFFER = code(
    "GSL401",
    "outputs-differ",
    "source and target compute different values",
    Verdict.FAIL,
    meaning="""On a generated graph the rewritten network computes another value than the original.
Inputs are integers for which arithmetic is exact, or the difference exceeds the rounding error
bound computed for these very inputs, so this is not noise. A difference that needs an empty input
is GSL408.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(x)  =>  abs(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(x), op.Abs(x))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(x)  =>  max(x, 0)"""
            x = pat.Wildcard()
            return Subst(op.Relu(x), op.Maximum(x, 0))
        '''
    ),
)

REWRITE_BREAKS_GRAPH = code(
    "GSL402",
    "rewrite-breaks-graph",
    "the rewritten graph is not well formed, or the rest of it changed",
    Verdict.FAIL,
    meaning="""After rewriting a generated graph, an output is missing, has another type, or a part
that no match covered is no longer the same.""",
)

MATCH_REFUSED = code(
    "GSL403",
    "match-refused",
    "the rule matches a generated graph but its target cannot be built",
    Verdict.FAIL,
    meaning="""The engine found a match and then had to leave it alone because an operator of the
target did not accept its inputs, or because an output would change its type.""",
)

TARGET_UNDEFINED = code(
    "GSL404",
    "target-undefined",
    "an operator of the target gets values on which it is not defined",
    Verdict.FAIL,
    meaning="""On a generated graph every operator of the source is defined on its operands, but
one of the target is not: it divides an integer by 0, takes an element that does not exist, or makes
an integer of a number that its type does not hold. A backend may then crash or read foreign
memory.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """x // max(y, 1)  =>  x // y"""
            x, y = pat.Wildcard(), pat.Wildcard()
            whole = [x.dtype == "uint8"]
            return Subst(op.FloorDivide(x, op.Maximum(y, 1)), op.FloorDivide(x, y), where=whole)
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """x // max(max(y, 1), 1)  =>  x // max(y, 1)"""
            x, y = pat.Wildcard(), pat.Wildcard()
            divisor = op.Maximum(y, 1)
            source = op.FloorDivide(x, op.Maximum(divisor, 1))
            return Subst(source, op.FloorDivide(x, divisor), where=[x.dtype == "uint8"])
        '''
    ),
)

NO_FIXPOINT = code(
    "GSL471",
    "no-fixpoint",
    "the rule matches its own result, so applying it never comes to an end",
    Verdict.PASS,
    meaning="""On a generated graph the target contains a match again, rewrite after rewrite, as
when the operands of an addition change places. The rule may be right, but an engine that applies
rules until none matches does not stop: a warning.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """a + b  =>  b + a"""
            a, b = pat.Wildcard(), pat.Wildcard()
            return Subst(op.Add(a, b), op.Add(b, a))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """-(a - b)  =>  b - a"""
            a, b = pat.Wildcard(), pat.Wildcard()
            return Subst(op.Negative(op.Subtract(a, b)), op.Subtract(b, a))
        '''
    ),
)

BACKENDS_DISAGREE = code(
    "GSL470",
    "backends-disagree",
    "TVM and the NumPy references disagree",
    Verdict.PASS,
    meaning="""On a generated graph TVM computes another value than the references, on the same side
of the rule. That is a defect of one of the two and says nothing about the rule: a warning.""",
)

BACKEND_INCOMPLETE = code(
    "GSL472",
    "backend-incomplete",
    "TVM could not execute some of the generated graphs",
    Verdict.PASS,
    meaning="""TVM failed on some graphs, on the source of the rule as well as on its target, and
confirmed most of the others. What the rule is known for counts only those that were confirmed: a
warning.""",
)

TOO_FEW_EXAMPLES = code(
    "GSL490",
    "too-few-examples",
    "too few graphs could be generated",
    Verdict.INCONCLUSIVE,
    meaning="""Fewer graphs than demanded could be generated, matched and executed, or none of a
structure that is not proved, or none on which a target goes some way. The details say what stood in
the way. Raise --max-examples, or loosen the constraints of the rule.""",
)

HARD_TO_DRAW = code(
    "GSL494",
    "hard-to-draw",
    "hardly any draw meets a condition",
    Verdict.INCONCLUSIVE,
    meaning="""Most draws of graphs came to nothing since no sizes and attributes were found that
meet a condition, which the message names, so that fewer graphs than demanded were run. Loosen the
condition, or write it as equations from which one size follows from others.""",
    bad="""from gsl import Subst, op, pat, rule


@rule
def example() -> Subst:
    \"\"\"relu(relu(x))  =>  relu(x), for very long lists\"\"\"
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim == 1, x.shape[0] > 5000])
""",
    good="""from gsl import Subst, op, pat, rule


@rule
def example() -> Subst:
    \"\"\"relu(relu(x))  =>  relu(x), for longer lists\"\"\"
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim == 1, x.shape[0] > 3])
""",
)

BACKEND_CRASHED = code(
    "GSL491",
    "backend-crashed",
    "TVM could not execute a generated graph",
    Verdict.INCONCLUSIVE,
    meaning="""TVM raised an exception, aborted or hung while it compiled or ran most generated
graphs, or its process died on a target whose source it could run. The references agreed on these
graphs, so nothing proves the rule wrong, but the check is not complete.""",
)

REFERENCE_CHANGES = code(
    "GSL493",
    "reference-changes",
    "the reference of an operator does not compute the same again",
    Verdict.INCONCLUSIVE,
    meaning="""Source and target differ on a generated graph, and an operator of somebody else
computes other values when its reference is called again with the same operands. So the difference
says nothing about the rule. Draw random numbers from a generator with a fixed seed inside of the
reference, and keep nothing from one call to the next.""",
    bad="""import numpy as np

from gsl import Subst, op, pat, rule
from gsl.operators.declaration import Need, Tensor, operator
from gsl.types import FLOATING, TensorType


@operator(dtypes=FLOATING)
def Noise(need: Need, data: Tensor) -> TensorType:
    \"\"\"Random numbers in the place of others.\"\"\"
    return data


@Noise.numpy
def noise(data):
    return np.random.default_rng().standard_normal(data.shape).astype(data.dtype)


@rule
def example() -> Subst:
    \"\"\"noise(relu(x))  =>  noise(x)\"\"\"
    x = pat.Wildcard()
    return Subst(op.Noise(op.Relu(x)), op.Noise(x))
""",
    good="""import numpy as np

from gsl import Subst, op, pat, rule
from gsl.operators.declaration import Need, Tensor, operator
from gsl.types import FLOATING, TensorType


@operator(dtypes=FLOATING)
def FixedNoise(need: Need, data: Tensor) -> TensorType:
    \"\"\"The same random numbers in the place of others.\"\"\"
    return data


@FixedNoise.numpy
def fixed_noise(data):
    return np.random.default_rng(0).standard_normal(data.shape).astype(data.dtype)


@rule
def example() -> Subst:
    \"\"\"noise(relu(x))  =>  noise(x)\"\"\"
    x = pat.Wildcard()
    return Subst(op.FixedNoise(op.Relu(x)), op.FixedNoise(x))
""",
)

KERNEL_APART = code(
    "GSL495",
    "kernel-apart",
    "the kernel of an operator says something else than its reference",
    Verdict.INCONCLUSIVE,
    meaning="""An operator of somebody else has a kernel and a reference, and they compute different
elements of the same operands. Proofs and the solver are about the kernel, all else about the
reference, which is the definition of values; so what both say together says nothing about the
rule.""",
    bad="""import numpy as np

from gsl import Subst, op, pat, rule
from gsl.operators.declaration import Need, Tensor, operator
from gsl.types import FLOATING, TensorType


@operator(dtypes=FLOATING)
def Tripled(need: Need, data: Tensor) -> TensorType:
    \"\"\"Three times an element.\"\"\"
    return data


@Tripled.numpy
def tripled(data):
    return data * 3.0


@Tripled.kernel
def tripled_element(index, data):
    return data[index] + data[index]


@rule
def example() -> Subst:
    \"\"\"tripled(relu(relu(x)))  =>  tripled(relu(x))\"\"\"
    x = pat.Wildcard()
    return Subst(op.Tripled(op.Relu(op.Relu(x))), op.Tripled(op.Relu(x)))
""",
    good="""import numpy as np

from gsl import Subst, op, pat, rule
from gsl.operators.declaration import Need, Tensor, operator
from gsl.types import FLOATING, TensorType


@operator(dtypes=FLOATING)
def TripledAlike(need: Need, data: Tensor) -> TensorType:
    \"\"\"Three times an element.\"\"\"
    return data


@TripledAlike.numpy
def tripled(data):
    return data * 3.0


@TripledAlike.kernel
def tripled_element(index, data):
    return data[index] * 3.0


@rule
def example() -> Subst:
    \"\"\"tripled(relu(relu(x)))  =>  tripled(relu(x))\"\"\"
    x = pat.Wildcard()
    return Subst(op.TripledAlike(op.Relu(op.Relu(x))), op.TripledAlike(op.Relu(x)))
""",
)
