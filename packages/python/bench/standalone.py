"""Imports slices that were written out alone, each in a process of its own, and says which names they lack.

Reads a JSON list of {folder, original, module, name} on standard input; writes a list of {error, original_fails}. A name
counts as lacking where a function of the slice loads it, it is no builtin, and the original module has it.
"""
import builtins
import dis
import importlib
import inspect
import json
import os
import sys
import types


def globals_loaded(code):
    for instruction in dis.get_instructions(code):
        if instruction.opname == 'LOAD_GLOBAL':
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from globals_loaded(constant)


def functions_of(module):
    found, seen = [], set()

    def visit(value):
        if id(value) in seen:
            return
        seen.add(id(value))
        value = getattr(value, '__func__', value)
        if isinstance(value, property):
            for part in filter(None, (value.fget, value.fset, value.fdel)):
                visit(part)
        elif isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
            found.append(value)
        elif isinstance(value, type) and value.__module__ == module.__name__:
            for part in list(vars(value).values()):
                visit(part)

    for value in list(vars(module).values()):
        visit(value)
    return found


def trial(job, root):
    import warnings

    warnings.simplefilter('ignore')
    sys.path.insert(0, root)
    sys.dont_write_bytecode = True
    try:
        value = importlib.import_module(job['module'])
        for part in job['name'].split('.'):
            value = inspect.getattr_static(value, part)
    except BaseException as error:  # a module may exit
        return f'{type(error).__name__}: {str(error)[:160]}', []
    lacking = set()
    for module in list(sys.modules.values()):
        if str(getattr(module, '__file__', None)).startswith(root + os.sep):
            for function in functions_of(module):
                for name in globals_loaded(function.__code__):
                    if name not in function.__globals__ and not hasattr(builtins, name):
                        lacking.add(f'{module.__name__}.{name}')
    return None, sorted(lacking)


def apart(job, root):
    """In a process of its own, since modules of different slices share their names."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.write(write, json.dumps(trial(job, root)).encode()[:60000])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, 'rb') as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else ['the process ended', []]


def main():
    originals, results = {}, []
    for job in json.load(sys.stdin):
        error, lacking = apart(job, job['folder'])
        key = (job['original'], job['module'])
        if (error or lacking) and key not in originals:
            originals[key] = apart(job, job['original'])
        original_error, original_lacking = originals.get(key, (None, []))
        lacking = [name for name in lacking if name not in original_lacking]
        trouble = error or ('lacks ' + ', '.join(lacking[:5]) if lacking else None)
        results.append({'error': trouble, 'original_fails': bool(original_error)})
    json.dump(results, sys.stdout)


main()
