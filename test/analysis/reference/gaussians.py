"""Reference figures for test/analysis/gaussian.test.ts, by dense d x d matrices in numpy and scipy.

Run: python3 gaussians.py > gaussians.json. The samples are drawn by integer arithmetic that the test repeats, so that only
figures are stored.
"""

import json
import sys

import numpy as np
from scipy.linalg import sqrtm

CASES = [
    # seed, first n, second n, dimensions, shift of the second, scale of the second, ridge
    (1, 10, 10, 64, 0.3, 1.0, 1e-3),
    (2, 10, 10, 300, 0.05, 1.5, 1e-2),
    (3, 5, 12, 40, 1.0, 0.5, 0.1),
    (4, 60, 40, 6, 0.2, 2.0, 1e-3),
    (5, 100, 80, 3, 0.0, 1.0, 1e-3),
    (6, 10, 10, 2, 3.0, 0.1, 1.0),
    (7, 2, 2, 9, 0.5, 1.0, 1e-2),
]


def samples(seed, n, d):
    """n x d numbers in [-1, 1), by the linear congruential generator of Numerical Recipes."""
    state = seed
    values = np.empty((n, d))
    for i in range(n):
        for k in range(d):
            state = (state * 1664525 + 1013904223) % 2**32
            values[i, k] = state / 2**31 - 1
    return values


def frechet(first, second):
    mean1, mean2 = first.mean(axis=0), second.mean(axis=0)
    cov1, cov2 = (np.atleast_2d(np.cov(each, rowvar=False)) for each in (first, second))
    # Tr (S1^1/2 S2 S1^1/2)^1/2 by the eigenvalues of a symmetric matrix: sqrtm of S1 S2 loses digits where S1 is singular.
    values, vectors = np.linalg.eigh(cov1)
    root = vectors * np.sqrt(np.clip(values, 0, None)) @ vectors.T
    inner = np.linalg.eigvalsh(root @ cov2 @ root)
    # The product has the smaller rank of the two; what lies beyond is rounding, of which a root would make too much.
    rank = min(len(first) - 1, len(second) - 1, first.shape[1])
    trace = np.sqrt(np.clip(np.sort(inner)[::-1][:rank], 0, None)).sum()
    if first.shape[1] < min(len(first), len(second)):
        checked = np.trace(sqrtm(cov1 @ cov2)).real
        assert abs(checked - trace) < 1e-9 * abs(trace), (checked, trace)
    return ((mean1 - mean2) ** 2).sum() + np.trace(cov1) + np.trace(cov2) - 2 * trace


def divergence(first, second, ridge):
    d = first.shape[1]
    cov1, cov2 = (np.atleast_2d(np.cov(each, rowvar=False)) + ridge * np.eye(d) for each in (first, second))
    apart = second.mean(axis=0) - first.mean(axis=0)
    traces = np.trace(np.linalg.solve(cov2, cov1))
    volumes = np.linalg.slogdet(cov2)[1] - np.linalg.slogdet(cov1)[1]
    return (traces + apart @ np.linalg.solve(cov2, apart) - d + volumes) / 2


def main():
    rows = []
    for seed, n, m, d, shift, scale, ridge in CASES:
        first, second = samples(seed, n, d), samples(seed + 1000, m, d) * scale + shift
        case = {"seed": seed, "first": n, "second": m, "d": d, "shift": shift, "scale": scale, "ridge": ridge}
        pooled = np.vstack([first, second])
        values = np.linalg.svd(pooled - pooled.mean(axis=0), compute_uv=False) ** 2
        rows.append(
            {
                **case,
                "fd2": frechet(first, second),
                "kl": divergence(first, second, ridge),
                "leading": list(values[: min(4, n + m - 1, d)]),
            }
        )
    json.dump(rows, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
