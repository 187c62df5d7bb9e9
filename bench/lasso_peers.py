"""Lasso draws of scikit-learn and celer for bench/lasso_peers.R.

    lasso_peers.py FOLDER PEER

The folder holds x (column-major), y, w (a row a draw, the prior weight last) as raw doubles, and `shape`: rows,
columns, draws and lambda. Prints the seconds of each draw; coefficients go to the file `PEER` there.
"""
import os
import sys
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "2")
import numpy as np

folder, peer = sys.argv[1], sys.argv[2]
warnings.filterwarnings("ignore")


def read(name):
    return np.fromfile(os.path.join(folder, name))


n, p, draws, lam = read("shape")
n, p, draws = int(n), int(p), int(draws)
x = read("x").reshape((n, p), order="F")
y = read("y")
w = read("w").reshape((draws, n + 1), order="F")


def sklearn_draw(weights, alpha):
    """The Gram matrix is what makes tall data fast; wide data are better without."""
    from sklearn.linear_model import Lasso

    return Lasso(alpha=alpha, precompute=bool(n > p), max_iter=100_000).fit(x, y, sample_weight=weights)


def celer_draw(weights, alpha):
    """It knows no weights: rows are centred and scaled by their roots."""
    from celer import Lasso

    total = weights.sum()
    root = np.sqrt(weights * n / total)
    left = (x - weights @ x / total) * root[:, None]
    right = (y - weights @ y / total) * root
    return Lasso(alpha=alpha, fit_intercept=False).fit(np.asfortranarray(left), right)


draw = {"sklearn": sklearn_draw, "celer": celer_draw}[peer]
seconds, found = [], []
# The first call loads the library, which is not a draw's time.
draw(np.ascontiguousarray(w[0, :n]), lam)
for k in range(draws):
    weights, prior = np.ascontiguousarray(w[k, :n]), w[k, n]
    begin = time.perf_counter()
    fit = draw(weights, lam * prior / weights.sum())
    seconds.append(time.perf_counter() - begin)
    slopes = fit.coef_
    intercept = (weights @ y - weights @ (x @ slopes)) / weights.sum()
    found.append(np.concatenate([[intercept], slopes]))
np.asarray(found).tofile(os.path.join(folder, peer))
print("\t".join(str(s) for s in seconds))
