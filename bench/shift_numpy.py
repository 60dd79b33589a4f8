"""The figures of `covariateShift` in numpy, for bench/shift.ts: WORK batched|pairs TURNS.

`pairs` is what one writes after the paper: every pair of replicates by itself, FD in the low-rank form and KL by Woodbury.
`batched` is our algorithm with BLAS and LAPACK: inner products once, then all pairs at once, PCA and 200 permutations.
Replicates are disjoint runs of ten in the order of the files: means over all pairs hardly depend on the draw.
"""

import json
import resource
import sys
import time

import numpy as np

SIZE, RIDGE, PCA, PERMUTATIONS, PAIRS = 10, 1e-3, 8, 200, 50
DIMENSIONS = 4096


def load(files, turn):
    offset = turn * DIMENSIONS * 4
    rows = [np.fromfile(file, dtype="<f4", count=DIMENSIONS, offset=offset) for file in files]
    return np.asarray(rows, dtype=np.float64)


def by_pairs(students, experts):
    replicates = [group.reshape(-1, SIZE, DIMENSIONS) for group in (students, experts)]
    fd2, kl = [], []
    for x in replicates[0]:
        a = (x - x.mean(axis=0)) / np.sqrt(SIZE - 1)
        for y in replicates[1]:
            b = (y - y.mean(axis=0)) / np.sqrt(SIZE - 1)
            apart = x.mean(axis=0) - y.mean(axis=0)
            root = np.linalg.svd(a @ b.T, compute_uv=False).sum()
            fd2.append(apart @ apart + (a * a).sum() + (b * b).sum() - 2 * root)
            own, other = a @ a.T + RIDGE * np.eye(SIZE), b @ b.T + RIDGE * np.eye(SIZE)
            cross, along = b @ a.T, b @ apart
            traces = ((a * a).sum() - (cross * np.linalg.solve(other, cross)).sum()) / RIDGE
            traces -= SIZE - RIDGE * np.trace(np.linalg.inv(other))
            mean = (apart @ apart - along @ np.linalg.solve(other, along)) / RIDGE
            volumes = np.linalg.slogdet(other)[1] - np.linalg.slogdet(own)[1]
            kl.append((traces + mean + volumes) / 2)
    return np.mean(fd2), np.mean(kl)


def moments(gram, members):
    """Of replicates given as rows of indices: squared mean, products with the mean, trace."""
    blocks = gram[members[:, :, None], members[:, None, :]]
    with_mean = blocks.mean(axis=2)
    square = with_mean.mean(axis=1)
    trace = (np.trace(blocks, axis1=1, axis2=2) - SIZE * square) / (SIZE - 1)
    return blocks, with_mean, square, trace


def crossed(gram, first, second):
    """Centred products of every pair of replicates, and their mean."""
    blocks = gram[first[:, :, None], second[:, None, :]]
    rows, columns = blocks.mean(axis=2), blocks.mean(axis=1)
    mean = rows.mean(axis=1)
    return (blocks - rows[:, :, None] - columns[:, None, :] + mean[:, None, None]) / (SIZE - 1), columns, mean


def frechet(gram, first, second):
    _, _, square1, trace1 = moments(gram, first)
    _, _, square2, trace2 = moments(gram, second)
    cross, _, mean = crossed(gram, first, second)
    return square1 + square2 - 2 * mean + trace1 + trace2 - 2 * np.linalg.svd(cross, compute_uv=False).sum(axis=1)


def all_pairs(first, second):
    n, m = len(first), len(second)
    return np.repeat(first, m, axis=0), np.tile(second, (n, 1))


def divergence(gram, first, second):
    blocks1, mean1, square1, trace1 = moments(gram, first)
    blocks2, mean2, square2, _ = moments(gram, second)
    eye = RIDGE * np.eye(SIZE)

    def forms(blocks, means, squares):
        return (blocks - means[:, :, None] - means[:, None, :] + squares[:, None, None]) / (SIZE - 1) + eye

    own, other = forms(blocks1, mean1, square1), forms(blocks2, mean2, square2)
    cross, columns, mean = crossed(gram, first, second)
    apart = square1 + square2 - 2 * mean
    along = (columns - mean2 - mean[:, None] + square2[:, None]) / np.sqrt(SIZE - 1)
    inverse = np.linalg.inv(other)
    traces = (trace1 - np.einsum("pij,pjk,pik->p", cross, inverse, cross)) / RIDGE
    traces -= SIZE - RIDGE * np.trace(inverse, axis1=1, axis2=2)
    means = (apart - np.einsum("pi,pij,pj->p", along, inverse, along)) / RIDGE
    volumes = np.linalg.slogdet(other)[1] - np.linalg.slogdet(own)[1]
    return (traces + means + volumes) / 2


def batched(students, experts, random):
    n = len(students)
    rows = np.vstack([students, experts])
    rows -= rows.mean(axis=0)
    gram = rows @ rows.T
    first = np.arange(n).reshape(-1, SIZE)
    second = np.arange(n, len(rows)).reshape(-1, SIZE)
    one, other = all_pairs(first, second)
    fd2 = frechet(gram, one, other)
    kl = divergence(gram, one, other)
    half = len(second) // 2
    frechet(gram, *all_pairs(second[:half], second[half:]))
    values, vectors = np.linalg.eigh(gram)
    scores = vectors[:, -PCA:] * np.sqrt(values[-PCA:])
    frechet(scores @ scores.T, one, other)
    instances = np.concatenate([np.arange(n) % 10, np.arange(len(experts)) % 10])
    blocks = [np.flatnonzero(instances == each) for each in range(10)]
    labels = np.arange(len(rows))
    for _ in range(PERMUTATIONS):
        for block in blocks:
            labels[block] = random.permutation(block)
        frechet(gram, labels[first][:PAIRS], labels[second][:PAIRS])
    return fd2.mean(), kl.mean()


def main():
    work, way, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(f"{work}/files.json") as file:
        files = json.load(file)
    half = len(files) // 2
    random = np.random.default_rng(1)
    started = time.perf_counter()
    found = []
    for turn in range(turns):
        experts, students = load(files[:half], turn), load(files[half:], turn)
        found.append(by_pairs(students, experts) if way == "pairs" else batched(students, experts, random))
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - started,
                "cpuSeconds": usage.ru_utime + usage.ru_stime,
                "megabytes": usage.ru_maxrss / 1024,
                "fd2": [float(fd2) for fd2, _ in found],
                "kl": [float(kl) for _, kl in found],
            }
        )
    )


if __name__ == "__main__":
    main()
