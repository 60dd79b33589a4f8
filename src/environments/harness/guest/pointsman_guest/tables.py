"""Arrays and data frames of numpy and pandas as data. Neither is imported here: a value of theirs proves that they
are there.
"""

import hashlib
import sys

from .names import class_name, inherits, mro


def _loaded(module, name):
    return getattr(sys.modules.get(module), name, None)


def is_a(value, module, name):
    """Whether a value is of a class of numpy or pandas, without importing either."""
    cls = _loaded(module, name)
    return isinstance(cls, type) and inherits(type(value), cls)


def may_be_table(cls):
    """Whether a class comes from numpy or pandas, or from a class of theirs."""
    return any(class_name(one).split(".")[0] in ("numpy", "pandas") for one in mro(cls))


def missing_name(value):
    """How pandas calls a value that stands for a missing one; None for any other."""
    for name in ("NaT", "NA"):
        if value is not None and value is _loaded("pandas", name):
            return name
    return None


def table(value, observer):
    """The tree of an array, scalar, frame, series or index; None where the value is nothing of that sort."""
    if is_a(value, "numpy", "ndarray"):
        return _array(value, observer)
    if is_a(value, "numpy", "generic"):
        return _elements(value, value.reshape(1), [], observer)
    if is_a(value, "pandas", "DataFrame"):
        columns = [_column(value.iloc[:, at], observer) for at in range(value.shape[1])]
        return _frame(value, list(value.columns), columns, observer)
    if is_a(value, "pandas", "Series"):
        return _frame(value, [value.name], [_column(value, observer)], observer)
    if is_a(value, "pandas", "Index"):
        return _column(value, observer)
    if any(is_a(value, "pandas", name) for name in ("Timestamp", "Timedelta", "Period", "Interval")):
        return {"t": "scalar", "type": class_name(type(value)), "v": str(value)}
    if missing_name(value) is not None:
        return {"t": "scalar", "type": class_name(type(value)), "v": str(value)}
    return None


def _array(value, observer):
    if is_a(value, "numpy.ma", "MaskedArray"):
        parts = [["data", _array(value.data, observer)], ["mask", _elements(value, value.mask.ravel(), [], observer)]]
        return {"t": "object", "type": class_name(type(value)), "state": parts}
    return _elements(value, value.ravel(), list(value.shape), observer)


def _elements(value, flat, shape, observer):
    tree = {"t": "array", "type": class_name(type(value)), "dtype": str(flat.dtype), "shape": shape}
    kept = flat[: observer.keep]
    if flat.dtype.kind in "mM":
        kept = kept.astype(str)
    elif flat.dtype.kind == "f" and flat.dtype.itemsize > 8:
        kept = kept.astype(float)
    tree["v"] = [observer.observe(one) for one in kept.tolist()]
    if len(flat) > len(kept):
        whole = repr(flat.tolist()) if flat.dtype.hasobject else flat.tobytes()
        tree["cut"] = _cut(len(flat), whole)
    return tree


def _column(series, observer):
    """A column or an index: its type as pandas has it, its values as Python has them."""
    values = series.tolist()
    kept = values[: observer.keep]
    tree = {
        "t": "array",
        "type": class_name(type(series)),
        "dtype": _dtype(series.dtype),
        "shape": [len(values)],
        "v": [observer.observe(one) for one in kept],
    }
    if len(values) > len(kept):
        tree["cut"] = _cut(len(values), repr(values))
    return tree


def _dtype(dtype):
    """Its name; of categories also which there are, in their order."""
    if not is_a(dtype, "pandas", "CategoricalDtype"):
        return str(dtype)
    order = " < " if dtype.ordered else ", "
    return "category[%s]" % order.join(repr(one) for one in dtype.categories.tolist())


def _frame(value, labels, columns, observer):
    return {
        "t": "frame",
        "type": class_name(type(value)),
        "columns": [observer.observe(label) for label in labels],
        "index": _column(value.index, observer),
        "v": columns,
    }


def _cut(of, whole):
    data = whole if isinstance(whole, bytes) else whole.encode("utf-8", "surrogatepass")
    return {"of": of, "sha256": hashlib.sha256(data).hexdigest()}
