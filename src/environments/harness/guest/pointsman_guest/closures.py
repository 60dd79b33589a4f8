"""Source for functions: their name where they can be imported, else their text with all that it refers to."""

import ast
import builtins
import dis
import functools
import linecache
import textwrap
import types

from .unwritable import Unwritable

_parsed = {}


def write(writer, value):
    """The expression for a function, or None where the value is none."""
    if type(value) is not types.FunctionType:
        return None
    if writer.importable(value):
        return writer.reference(value)
    found = _text(value.__code__)
    if found is None:
        raise Unwritable("a function without source")
    node, text = found
    around = _around(value, node)
    arguments = writer.arguments((), around)
    if isinstance(node, ast.Lambda):
        return "(lambda %s: %s)(%s)" % (", ".join(around), text, arguments) if around else "(%s)" % text
    maker = writer.statement(
        lambda name: "def %s(%s):\n%s\n    return %s"
        % (name, ", ".join(around), textwrap.indent(text, "    "), node.name),
        "make_" + node.name,
    )
    return "%s(%s)" % (maker, arguments)


@functools.lru_cache(maxsize=None)
def _text(code):
    """`(definition, its text)` as it stands in its file, proved by compiling it; None where there is none."""
    for node, text in _definitions(code):
        if _same(_compiled(text, code.co_freevars, _file(code.co_filename)[2]), code):
            return node, text
    return None


def _definitions(code):
    lines, nodes, _ = _file(code.co_filename)
    for node in nodes.get((code.co_firstlineno, code.co_name), ()):
        if isinstance(node, ast.Lambda):
            text = _segment(lines, node)
        else:
            text = textwrap.dedent("".join(lines[node.lineno - 1 : node.end_lineno])).rstrip()
        if text:
            yield node, text


def _segment(lines, node):
    """As `ast.get_source_segment`, which splits the whole file each time. Columns count bytes."""
    found = [line.encode("utf-8") for line in lines[node.lineno - 1 : node.end_lineno]]
    found[-1] = found[-1][: node.end_col_offset]
    found[0] = found[0][node.col_offset :]
    return b"".join(found).decode("utf-8")


def _file(name):
    """`(lines, definitions by line and name, import statements)`; those with decorators are left out."""
    if name not in _parsed:
        lines = linecache.getlines(name)
        try:
            tree = ast.parse("".join(lines))
        except (SyntaxError, ValueError):
            tree = ast.Module(body=[], type_ignores=[])
        # The compiler treats attributes of what was imported in a way of its own.
        imports = [_segment(lines, node) for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
        nodes = {}
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.Lambda)) and not getattr(node, "decorator_list", []):
                nodes.setdefault((node.lineno, getattr(node, "name", "<lambda>")), []).append(node)
        _parsed[name] = (lines, nodes, "\n".join(imports))
    return _parsed[name]


def _compiled(text, free, imports):
    """The function's code as the text has it, compiled where the same names belong to a function around it."""
    definition = text if text.startswith("def ") else "(%s)" % text
    if free:
        bound = "".join("    %s = None\n" % name for name in free)
        definition = "def around():\n%s%s\n" % (bound, textwrap.indent(definition, "    "))
    try:
        code = compile(imports + "\n" + definition, "<text>", "exec", dont_inherit=True)
    except SyntaxError:
        return None
    for _ in range(2 if free else 1):
        code = next((one for one in code.co_consts if isinstance(one, types.CodeType)), None)
    return code


def _same(one, other):
    """Whether two code objects do the same: instructions, names and constants, those within too."""
    if (
        one is None
        or one.co_code != other.co_code
        or one.co_names != other.co_names
        or one.co_varnames != other.co_varnames
    ):
        return False
    return len(one.co_consts) == len(other.co_consts) and all(
        _same_constant(at, a, b) for at, (a, b) in enumerate(zip(one.co_consts, other.co_consts))
    )


def _same_constant(at, a, b):
    if isinstance(a, types.CodeType) and isinstance(b, types.CodeType):
        return _same(a, b)
    # A docstring stands first, and loses its margin; qualified names of what is within tell where it stood.
    if isinstance(a, str) and isinstance(b, str) and (at == 0 or "<locals>" in b):
        return True
    return type(a) is type(b) and repr(a) == repr(b)


def _around(function, node):
    """What the names mean that the definition does not define itself."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            raise Unwritable("a function that refers to what is not there yet")
    asked = sorted(_globals_of(function.__code__) | _names_at_definition(node))
    for name in asked:
        if name in function.__globals__ and name not in found:
            found[name] = function.__globals__[name]
        elif name not in found and not hasattr(builtins, name):
            raise Unwritable("a function that refers to what is not there")
    if isinstance(node, ast.FunctionDef):
        found = {name: value for name, value in found.items() if not (name == node.name and value is function)}
    if "__class__" in found or "super" in asked:
        raise Unwritable("a function that belongs to a class")
    return found


def _globals_of(code):
    found = {one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            found |= _globals_of(one)
    return found


def _names_at_definition(node):
    """Names in defaults and annotations: they are looked up when the definition runs."""
    parts = list(node.args.defaults) + [one for one in node.args.kw_defaults if one is not None]
    every = node.args.posonlyargs + node.args.args + node.args.kwonlyargs + [node.args.vararg, node.args.kwarg]
    parts += [one.annotation for one in every if one is not None and one.annotation is not None]
    parts += [node.returns] if getattr(node, "returns", None) is not None else []
    return {one.id for part in parts for one in ast.walk(part) if isinstance(one, ast.Name)}
