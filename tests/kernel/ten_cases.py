"""The ten cases of the reference report, and the gradients that it gives for them."""

from __future__ import annotations

from dataclasses import dataclass

from gsl.kernel.parser import parse
from gsl.kernel.statement import Kernel


@dataclass(frozen=True)
class Example:
    """A kernel, what its gradient is wanted to, and the statements of the gradient."""

    name: str
    text: str
    inputs: str
    output: str
    wanted: str
    gradient: str
    takes: str

    def kernel(self, data_type: str = "double") -> Kernel:
        return parse(self.text, list(self.inputs), [self.output], self.name, data_type)


TEN = [
    Example(
        "case1",
        "C<4,16>[i,j] = A<4,16>[i,j] * B<4,16>[i,j] + 1.0;",
        "AB", "C", "A",
        "dA<4,16>[i, j] = dC<4,16>[i, j] * B<4,16>[i, j];",
        "B dC",
    ),
    Example(
        "case2",
        "B<4,16>[i,j] = A<4,16>[i,j] * A<4,16>[i,j] + 1.0;",
        "A", "B", "A",
        "dA<4,16>[i, j] = dB<4,16>[i, j] * A<4,16>[i, j] + A<4,16>[i, j] * dB<4,16>[i, j];",
        "A dB",
    ),
    Example(
        "case3",
        "C<4,16>[i,j] = A<4,16>[i,k] * B<16,16>[k,j];",
        "AB", "C", "A",
        "dA<4,16>[i, k] = dC<4,16>[i, j] * B<16,16>[k, j];",
        "B dC",
    ),
    Example(
        "case4",
        "A<16,32>[i,j] = B<16,32>[i,k] * C<32,32>[k,j];",
        "BC", "A", "BC",
        "dB<16,32>[i, k] = dA<16,32>[i, j] * C<32,32>[k, j];\n"
        "dC<32,32>[k, j] = B<16,32>[i, k] * dA<16,32>[i, j];",
        "B C dA",
    ),
    Example(
        "case5",
        "A<16,32>[i,j] = B<16,32,4>[i,k,l] * C<32,32>[k,j] * D<4,32>[l,j];",
        "BCD", "A", "B",
        "dB<16,32,4>[i, k, l] = dA<16,32>[i, j] * D<4,32>[l, j] * C<32,32>[k, j];",
        "C D dA",
    ),
    Example(
        "case6",
        "A<2,8,5,5>[n,k,p,q] = B<2,16,7,7>[n,c,p+r,q+s] * C<8,16,3,3>[k,c,r,s];",
        "BC", "A", "B",
        "dB<2,16,7,7>[n, c, a, b] = dA<2,8,5,5>[n, k, a - r, b - s] * C<8,16,3,3>[k, c, r, s];",
        "C dA",
    ),
    Example(
        "case7",
        "B<16,32>[i,j] = A<32,16>[j,i];",
        "A", "B", "A",
        "dA<32,16>[j, i] = dB<16,32>[i, j];",
        "dB",
    ),
    Example(
        "case8",
        "B<32>[i] = A<2,16>[i//16, i%16];",
        "A", "B", "A",
        "dA<2,16>[a, b] = dB<32>[a * 16 + b];",
        "dB",
    ),
    Example(
        "case9",
        "B<4,6>[i,j] = A<4>[i];",
        "A", "B", "A",
        "dA<4>[i] = dB<4,6>[i, j];",
        "dB",
    ),
    Example(
        "case10",
        "A<8,8>[i,j] = (B<10,8>[i,j] + B<10,8>[i+1,j] + B<10,8>[i+2,j]) / 3.0;",
        "B", "A", "B",
        "dB<10,8>[i, j] = dA<8,8>[i, j] / 3.0 + dA<8,8>[i - 1, j] / 3.0 "
        "+ dA<8,8>[i - 2, j] / 3.0;",
        "dA",
    ),
]  # fmt: skip

LIFTED = [
    Example(
        "denominator",
        "C<4>[i] = A<4>[i] / B<4>[i];",
        "AB", "C", "B",
        "dB<4>[i] = -(dC<4>[i] * A<4>[i] / (B<4>[i] * B<4>[i]));",
        "A B dC",
    ),
    Example(
        "several_pairs",
        "B<60>[i] = A<3,4,5>[i//20, i//5%4, i%5];",
        "A", "B", "A",
        "dA<3,4,5>[a, b, c] = dB<60>[c + a * 20 + b * 5];",
        "dB",
    ),
    Example(
        "pairs_in_one_index",
        "B<6,8>[i,j] = A<2,8>[i//3, i%3 * 2 + j//4];",
        "A", "B", "A",
        "dA<2,8>[a, b] = select(b // 2 < 3, dB<6,8>[a * 3 + b // 2, r + b % 2 * 4], 0.0);",
        "dB",
    ),
    Example(
        "several_operations",
        "B<3,2,4>[i,j,k] = A<8>[i+j+k];",
        "A", "B", "A",
        "dA<8>[a] = dB<3,2,4>[a - j - k, j, k];",
        "dB",
    ),
    Example(
        "reshape",
        "B<8,3>[i,j] = A<6,4>[(3*i+j)//4, (3*i+j)%4];",
        "A", "B", "A",
        "dA<6,4>[a, b] = dB<8,3>[(a * 4 + b) // 3, (a * 4 + b) % 3];",
        "dB",
    ),
    Example(
        "strided_and_dilated",
        "C<4>[p] = A<12>[2*p+3*r-1] * B<2>[r];",
        "AB", "C", "AB",
        "dA<12>[a] = select((a - r * 3 + 1) % 2 == 0, "
        "dC<4>[(a - r * 3 + 1) // 2] * B<2>[r], 0.0);\n"
        "dB<2>[r] = A<12>[p * 2 + r * 3 - 1] * dC<4>[p];",
        "A B dC",
    ),
    Example(
        "not_affine",
        "B<4,5>[i,j] = A<20>[i*j] + A<20>[3];",
        "A", "B", "A",
        "dA<20>[a] = select(i * j == a, dB<4,5>[i, j], 0.0) + select(a == 3, dB<4,5>[i, j], 0.0);",
        "dB",
    ),
    Example(
        "diagonal",
        "B<4>[i] = A<4,4>[i,i];",
        "A", "B", "A",
        "dA<4,4>[i, a] = select(i == a, dB<4>[i], 0.0);",
        "dB",
    ),
    Example(
        "chain",
        "B<4>[i] = exp(tanh(A<4>[i])) + sqrt(2 + sigmoid(A<4>[i])) * log(erf(A<4>[i]) + 3);",
        "A", "B", "A", "", "A dB",
    ),
    Example(
        "joints",
        "C<4>[i] = max(A<4>[i], B<4>[i]) * min(A<4>[i], 0.5) "
        "+ select(A<4>[i] < 0, abs(B<4>[i]), 2);",
        "AB", "C", "AB", "", "A B dC",
    ),
    Example(
        "softmax",
        "B<3,4>[i,j] = exp(A<3,4>[i,j]) / sum<k:4>(exp(A<3,4>[i,k]));",
        "A", "B", "A", "", "A dB",
    ),
    Example(
        "folds",
        "B<4>[i] = max<k:3>(A<4,3>[i,k]) * product<k:3>(A<4,3>[i,k]) - min<k:3>(A<4,3>[i,k//2]);",
        "A", "B", "A", "", "A dB",
    ),
    Example(
        "two_statements",
        "M<4>[i] = A<4,3>[i,k] * B<3>[k]; C<4>[i] = sin(M<4>[i]) * M<4>[3-i];",
        "AB", "C", "AB", "", "A B dC",
    ),
]  # fmt: skip
"""What the report could not do, and what goes beyond it."""
