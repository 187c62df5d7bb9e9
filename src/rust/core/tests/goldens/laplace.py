"""Writes laplace.csv: the exact means of the normal-means problem with a Laplace prior (MATH 2.1, 3).

`python laplace.py > laplace.csv`, with mpmath. y and lambda are the doubles that their decimals stand
for. The textbook formulas are evaluated with so many digits that cancellation leaves at least 50.
"""
import sys

import mpmath
from mpmath import mp, mpf, erfc, exp, expint, log, sqrt

mp.dps = 60


def posterior(y, lam):
    """Mitchell (1994): y + lam (F(y) - F(-y)) / (F(y) + F(-y)), F(y) = exp(lam y) Phi(-y - lam)."""
    # The answer may be y / lam^3 of what is subtracted.
    with mp.workdps(1400):
        def f(y):
            return exp(lam * y) * erfc((y + lam) / sqrt(mpf(2)))
        return +(y + lam * (f(y) - f(-y)) / (f(y) + f(-y)))


def random(y, lam):
    with mp.workdps(1400):
        return +(y - lam * log(1 + y / lam))


def fixed(y, lam):
    # E2(v) < exp(-v): nothing is left of it for larger v.
    return y * expint(2, lam / y) if lam / y < 2000 else mpf(0)


ladder = ["1e-300", "1e-200", "1e-20", "1e-9", "1e-7", "3e-4", "0.03", "0.3", "0.49", "0.51", "0.7", "0.99", "1.01",
          "1.9", "2.1", "3.9", "7", "20", "36", "38", "60", "400", "1e3", "3e4", "1e6"]
pairs = [(y, lam) for lam in ladder for y in ladder]
# Where the branches of the code meet: y - lam near 37 and -1, y near lam / 2, and lam / y near 1.
for lam in ["0.25", "1", "5", "100", "2000", "1e5"]:
    centre = float(lam)
    for y in [centre + 36.9, centre + 37.1, centre - 1, centre - 1.000001, centre - 0.999, centre, centre + 1,
              centre / 2, centre / 2 * (1 + 1e-9), centre * 0.999, centre * 1.5, centre / 1e8]:
        if y > 0:
            pairs.append((repr(y), lam))
pairs += [("1e-7", "3e-8"), ("3e-8", "1e-9"), ("2e-8", "0.999999999"), ("1.5", "1.5000000001")]

print(f"# Made by laplace.py with mpmath {mpmath.__version__}: y, lambda, posterior mean, WBB mean with random")
print("# and with fixed prior weight; means that no normal double holds are nan.")
for y, lam in pairs:
    a, b = mpf(float(y)), mpf(float(lam))
    values = [posterior(a, b), random(a, b), fixed(a, b)]
    print(",".join([y, lam] + [mpmath.nstr(v, 25) if v > sys.float_info.min else "nan" for v in values]))
