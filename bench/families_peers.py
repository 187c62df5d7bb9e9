"""Draws of families by adelie, skglm and glum for bench/families_peers.R.

    families_peers.py FOLDER PEER

The folder holds x (column-major), y, w (a row a draw, the prior weight last) as raw doubles, `shape`: rows,
columns, draws and lambda, and `family`, a word. Prints two lines: the seconds of each draw at the peer's own tolerance, then at
one for a relative excess of 1e-8; coefficients go to the files `PEER-default` and `PEER-tight` there.
"""
import os
import sys
import time
import warnings

for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")
import numpy as np

folder, peer = sys.argv[1], sys.argv[2]
warnings.filterwarnings("ignore")


def read(name):
    return np.fromfile(os.path.join(folder, name))


n, p, draws, lam = read("shape")
n, p, draws = int(n), int(p), int(draws)
with open(os.path.join(folder, "family")) as file:
    family = file.read().strip()
x = read("x").reshape((n, p), order="F")
y = read("y")
w = read("w").reshape((draws, n + 1), order="F")


def adelie(tight):
    import adelie as ad

    dense = ad.matrix.dense(x, method="naive", n_threads=1)
    make = {"binomial": ad.glm.binomial, "poisson": ad.glm.poisson}[family]
    settings = {"tol": 1e-11, "irls_tol": 1e-10} if tight else {}

    def draw(weights, alpha):
        glm = make(y, weights=weights / weights.sum())
        state = ad.grpnet(
            dense, glm, lmda_path=[alpha], early_exit=False, progress_bar=False, n_threads=1, **settings
        )
        return state.intercepts[-1], state.betas[-1].toarray().ravel()

    return draw


def skglm(tight):
    """Its logistic loss knows no weights: this one does, made of the methods that its solver asks for."""
    from numba import float64
    from skglm.datafits.base import BaseDatafit
    from skglm.penalties import L1
    from skglm.solvers import ProxNewton

    class WeightedLogistic(BaseDatafit):
        def __init__(self, weights):
            self.weights = weights

        def get_spec(self):
            return (("weights", float64[:]),)

        def params_to_dict(self):
            return {"weights": self.weights}

        def value(self, y, beta, xb):
            return np.sum(self.weights * np.log(1 + np.exp(-y * xb)))

        def raw_grad(self, y, xb):
            return -self.weights * y / (1 + np.exp(y * xb))

        def raw_hessian(self, y, xb):
            e = np.exp(-y * xb)
            return self.weights * e / (1 + e) ** 2

    signs = 2 * y - 1
    solver = ProxNewton(tol=1e-9 if tight else 1e-4, max_iter=200, fit_intercept=True)

    def draw(weights, alpha):
        coefficients = solver.solve(x, signs, WeightedLogistic(weights / weights.sum()), L1(alpha))[0]
        return coefficients[-1], coefficients[:-1]

    return draw


def glum(tight):
    from glum import GeneralizedLinearRegressor

    def draw(weights, alpha):
        fit = GeneralizedLinearRegressor(
            family=family, alpha=alpha, l1_ratio=1, gradient_tol=1e-9 if tight else None, max_iter=1000
        ).fit(x, y, sample_weight=weights)
        return fit.intercept_, fit.coef_

    return draw


for name in ("default", "tight"):
    draw = {"adelie": adelie, "skglm": skglm, "glum": glum}[peer](name == "tight")
    seconds, found = [], []
    # The first call loads, or compiles, the library, which is not a draw's time.
    for k in [0, *range(draws)]:
        weights, prior = np.ascontiguousarray(w[k, :n]), w[k, n]
        begin = time.perf_counter()
        intercept, slopes = draw(weights, lam * prior / weights.sum())
        seconds.append(time.perf_counter() - begin)
        found.append(np.concatenate([[intercept], slopes]))
    np.asarray(found[1:]).tofile(os.path.join(folder, f"{peer}-{name}"))
    print("\t".join(str(s) for s in seconds[1:]))
