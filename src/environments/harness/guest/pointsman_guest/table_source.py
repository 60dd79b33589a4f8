"""Source for arrays and data frames of numpy and pandas."""

from . import tables
from .names import class_name
from .unwritable import Unwritable

_ELEMENTS = 2_000


def write(writer, value):
    """The expression, or None where the value is nothing of numpy or pandas."""
    if not tables.may_be_table(type(value)):
        return None
    missing = tables.missing_name(value)
    if missing is not None:
        writer.imports.add("import pandas")
        return "pandas." + missing
    for (module, name), look in _LOOKS.items():
        if tables.is_a(value, module, name):
            return look(writer, value)
    return None


def _bounded(values):
    if len(values) > _ELEMENTS:
        raise Unwritable("an array of more than %d elements" % _ELEMENTS)
    return values


def _array(writer, value):
    if class_name(type(value)) != "numpy.ndarray" or value.dtype.kind not in "biufcUSMm?":
        raise Unwritable("an array of %s" % value.dtype)
    writer.imports.add("import numpy")
    flat = _bounded(value.ravel())
    if value.dtype.kind == "M":
        flat = flat.astype(str)
    elif value.dtype.kind == "m":
        # As counts of their unit: numpy reads no time span from text. The smallest integer is "not a time" to both.
        flat = flat.astype("int64")
    elements = flat.tolist()
    text = "numpy.array(%s, dtype=%r)" % (writer.expression(elements if value.ndim else elements[0]), value.dtype.str)
    return text if value.ndim < 2 else "%s.reshape(%r)" % (text, tuple(value.shape))


def _number(writer, value):
    writer.imports.add("import numpy")
    if value.dtype.kind in "mM":
        text = str(value) if value.dtype.kind == "M" else int(value.astype("int64"))
        return "numpy.%s(%r, %r)" % (type(value).__name__, text, value.dtype.str.partition("[")[2].rstrip("]"))
    return "numpy.%s(%s)" % (type(value).__name__, writer.expression(value.item()))


def _series(writer, value):
    writer.imports.add("import pandas")
    named = ", name=%s" % writer.expression(value.name) if value.name is not None else ""
    return "pandas.Series(%s, index=%s, dtype=%s%s)" % (
        writer.expression(_bounded(value.tolist())),
        writer.expression(value.index),
        _dtype(writer, value.dtype),
        named,
    )


def _dtype(writer, dtype):
    if not tables.is_a(dtype, "pandas", "CategoricalDtype"):
        return repr(str(dtype))
    categories = writer.expression(_bounded(dtype.categories.tolist()))
    return "pandas.CategoricalDtype(%s, ordered=%r)" % (categories, bool(dtype.ordered))


def _frame(writer, value):
    writer.imports.add("import pandas")
    if not value.columns.is_unique:
        raise Unwritable("a frame with columns of one name")
    columns = ["%s: %s" % (writer.expression(name), _series(writer, value[name])) for name in value.columns]
    return "pandas.DataFrame({%s}, index=%s)" % (", ".join(columns), writer.expression(value.index))


def _index(writer, value):
    writer.imports.add("import pandas")
    named = ", name=%s" % writer.expression(value.name) if value.name is not None else ""
    if type(value).__name__ == "RangeIndex":
        return "pandas.RangeIndex(%d, %d, %d%s)" % (value.start, value.stop, value.step, named)
    if type(value).__name__ == "MultiIndex":
        return "pandas.MultiIndex.from_tuples(%s, names=%s)" % (
            writer.expression(_bounded(value.tolist())),
            writer.expression(list(value.names)),
        )
    elements = writer.expression(_bounded(value.tolist()))
    return "pandas.Index(%s, dtype=%s%s)" % (elements, _dtype(writer, value.dtype), named)


def _moment(writer, value):
    writer.imports.add("import pandas")
    if value.tzinfo is None:
        return "pandas.Timestamp(%r)" % str(value)
    # By its offset alone it would be in no zone, and by its clock an hour in autumn would be two.
    moment = value.tz_convert("UTC").tz_localize(None)
    return "pandas.Timestamp(%r, tz='UTC').tz_convert(%s)" % (str(moment), writer.expression(value.tzinfo))


def _span(writer, value):
    writer.imports.add("import pandas")
    return "pandas.Timedelta(%r)" % str(value)


_LOOKS = {
    ("numpy", "ndarray"): _array,
    ("numpy", "generic"): _number,
    ("pandas", "DataFrame"): _frame,
    ("pandas", "Series"): _series,
    ("pandas", "Index"): _index,
    ("pandas", "Timestamp"): _moment,
    ("pandas", "Timedelta"): _span,
}
