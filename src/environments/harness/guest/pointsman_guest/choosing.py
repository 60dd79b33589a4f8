"""Which of many calls are kept: those that differ, the plainest among them, and some that are not plain at all."""


def order(call):
    """What is short comes first, and what is equally short in the order of its text."""
    text = "\n".join(call["body"])
    return len(text), text, call["setup"]


def by_shape(calls, limit):
    """At most `limit` calls: one of each shape, then a second of each, and so on."""
    shapes = {}
    for call in sorted(calls, key=order):
        shapes.setdefault(call["shape"], []).append(call)
    rows = [spread(shapes[shape]) for shape in sorted(shapes, key=lambda shape: order(shapes[shape][0]))]
    rounds = max((len(one) for one in rows), default=0)
    return [one[at] for at in range(rounds) for one in rows if at < len(one)][:limit]


def spread(ordered):
    """First, last, middle, quarters and so on of a list: any beginning of the answer stands for the whole list."""
    found, parts = [0, len(ordered) - 1] if ordered else [], [(0, len(ordered) - 1)]
    while parts:
        low, high = parts.pop(0)
        if high - low > 1:
            middle = (low + high) // 2
            found.append(middle)
            parts += [(low, middle), (middle, high)]
    return [ordered[at] for at in dict.fromkeys(found)]


def by_reach(tried, wanted):
    """At most `wanted` of the calls that were tried out, as `generating.py` describes them: those that reach most of
    the function first, a few that raise, then those with results of their own.
    """
    tried = sorted(tried, key=lambda one: order(one["call"]))
    returned = [one for one in tried if one["raised"] is None]
    chosen, reached = _covering(returned, wanted)
    chosen += _different([one for one in tried if one["raised"]], reached)[
        : min(max(1, wanted // 8), wanted - len(chosen))
    ]
    outcomes = {one["outcome"] for one in chosen}
    others = []
    for one in returned:
        if one["outcome"] not in outcomes:
            outcomes.add(one["outcome"])
            others.append(one)
    chosen += spread(others)[: wanted - len(chosen)]
    return sorted(chosen, key=lambda one: order(one["call"]))


def _covering(pool, wanted):
    """Calls that each reach what none before them does, and all that they reach."""
    pool, chosen, reached = list(pool), [], set()
    while pool and len(chosen) < wanted:
        best = max(pool, key=lambda one: len(one["reached"] - reached))
        if not best["reached"] - reached:
            break
        chosen.append(best)
        reached |= best["reached"]
        pool.remove(best)
    return chosen, reached


def _different(tried, reached):
    """One call for each way to raise."""
    ways = {}
    for one in tried:
        ways.setdefault((one["outcome"], frozenset(one["reached"] - reached)), one)
    return list(ways.values())
