import { openPython } from '@pointsman/python';
import type { ObservedCall } from '../../../src/contract';
import { type DescribedFunction, describeFunction } from '../../../src/problems/specification/described';
import { chooseExamples, writtenCall } from '../../../src/problems/specification/examples';
import { typesSpecification } from '../../../src/problems/specification/types';

async function described(source: string, name: string): Promise<DescribedFunction> {
  const { body } = (await openPython()).parse('m.py', source);
  const [first] = body;
  const statement = first?.kind === 'class' ? first.body.find((each) => each.kind === 'function') : first;
  if (statement?.kind !== 'function') throw new Error('no function');
  return describeFunction(statement, source, { name, kind: name.includes('.') ? 'method' : 'function' });
}

function call(
  args: Record<string, [type: string, repr: string]>,
  returned: [string, string] | null,
  raised?: string,
): ObservedCall {
  return {
    arguments: Object.entries(args).map(([name, [type, repr]]) => ({ name, type, repr })),
    returned: returned && { type: returned[0], repr: returned[1] },
    raised: raised ?? null,
  };
}

const COUNT = `def countby(key, seq, strict=False):
    """ Count elements of a collection

    Groups by a key.
    """
    return 1
`;
const CALLS = [
  call(
    {
      key: ['builtin_function_or_method', '<built-in function len>'],
      seq: ['builtins.list', '[1]'],
      strict: ['bool', 'False'],
    },
    ['dict', '{1: 1}'],
  ),
  call({ key: ['builtins.str', "'name'"], seq: ['builtins.list', "[{'name': 1}]"], strict: ['bool', 'False'] }, [
    'builtins.dict',
    '{1: 1}',
  ]),
  call({ key: ['builtins.str', "'x'"], seq: ['builtins.tuple', '()'], strict: ['bool', 'True'] }, [
    'builtins.dict',
    '{}',
  ]),
  call(
    { key: ['builtins.str', "'x'"], seq: ['NoneType', 'None'], strict: ['bool', 'True'] },
    null,
    'builtins.TypeError',
  ),
];

test('types and examples that were seen follow the docstring, which stays as it is', async () => {
  const specification = typesSpecification(await described(COUNT, 'countby'), CALLS);
  expect(specification.refined).toBe(`Count elements of a collection

Groups by a key.

Args:
    key (str or builtin_function_or_method)
    seq (list, tuple or None)
    strict (bool)

Returns:
    dict

Raises:
    TypeError

Examples:
    >>> countby('name', [{'name': 1}])
    {1: 1}
    >>> countby('x', (), strict=True)
    {}`);
  expect(specification).toMatchObject({ by: 'types', argumentTypes: { strict: ['bool'] }, returnTypes: ['dict'] });
  expect(specification.original).toContain(' Count elements');
});

test("Google's sections get what they lack, and nothing twice", async () => {
  const source = COUNT.replace(
    'Groups by a key.',
    "Args:\n        key: how to group\n          (over lines)\n        seq (iterable): what\n\n    Returns:\n        the counts\n\n    Raises:\n        TypeError: no iterable\n\n    Example:\n        >>> countby('x', (), strict=True)\n        {}\n\n    Notes:\n        none",
  );
  expect(typesSpecification(await described(source, 'countby'), CALLS).refined).toBe(`Count elements of a collection

Args:
    key (str or builtin_function_or_method): how to group
      (over lines)
    seq (iterable): what
    strict (bool)

Returns:
    dict: the counts

Raises:
    TypeError: no iterable

Example:
    >>> countby('x', (), strict=True)
    {}
    >>> countby('name', [{'name': 1}])
    {1: 1}

Notes:
    none`);
});

test("NumPy's and Sphinx's docstrings stay in their style", async () => {
  const numpy = COUNT.replace(
    'Groups by a key.',
    'Parameters\n    ----------\n    key\n        how\n    seq : list\n        what\n\n    Returns\n    -------\n    dict\n        the counts',
  );
  expect(
    typesSpecification(await described(numpy, 'countby'), CALLS.slice(0, 1)).refined,
  ).toBe(`Count elements of a collection

Parameters
----------
key : builtin_function_or_method
    how
seq : list
    what
strict : bool

Returns
-------
dict
    the counts`);
  const sphinx = COUNT.replace(
    'Groups by a key.',
    ':param key: how\n    :param list seq: what\n    :returns: the counts',
  );
  expect(
    typesSpecification(await described(sphinx, 'countby'), CALLS.slice(1, 2)).refined,
  ).toBe(`Count elements of a collection

:param key: how
:param list seq: what
:type key: str
:type strict: bool
:returns: the counts
:rtype: dict

Examples:
    >>> countby('name', [{'name': 1}])
    {1: 1}`);
});

test('calls are written as one would make them', async () => {
  const source = 'def f(a, /, b=2, *rest, c, d=None, **more):\n    """x"""\n';
  const f = await described(source, 'f');
  const base = {
    a: ['int', '1'],
    b: ['int', '2'],
    rest: ['tuple', '()'],
    c: ['int', '3'],
    d: ['NoneType', 'None'],
    more: ['dict', '{}'],
  } as const;
  const written = (over: Record<string, [string, string]>) => writtenCall(f, call({ ...base, ...over } as never, null));
  expect(written({})).toBe('f(1, c=3)');
  expect(written({ b: ['int', '5'], d: ['int', '4'] })).toBe('f(1, b=5, c=3, d=4)');
  expect(written({ rest: ['tuple', '(7, 8)'], more: ['dict', "{'k': 1}"] })).toBe("f(1, 2, *(7, 8), c=3, **{'k': 1})");
  expect(written({ a: ['object', '<object object at 0x7f00>'] })).toBeNull();
});

test('a method is shown on an instance that a reader can make, else not at all', async () => {
  const source = 'class Box:\n    def put(self, x):\n        """Puts."""\n';
  const put = await described(source, 'Box.put');
  expect(put).toMatchObject({ className: 'Box', parameters: [{ name: 'x' }] });
  const on = (self: string) => chooseExamples(put, [call({ self: ['Box', self], x: ['int', '1'] }, ['int', '2'])]);
  expect(on('Box(3)')).toEqual([{ call: 'Box(3).put(1)', result: '2' }]);
  expect(on('<Box>')).toEqual([]);
});

test('a call that gave two results is no example', async () => {
  const f = await described('def now(x):\n    """Now."""\n', 'now');
  expect(chooseExamples(f, [call({ x: ['int', '1'] }, ['int', '1']), call({ x: ['int', '1'] }, ['int', '2'])])).toEqual(
    [],
  );
});
