import type { TypeName } from './values';

const SEQUENCE = 'count index';
const LIST = `${SEQUENCE} append clear copy extend insert pop remove reverse sort`;
const DEQUE = 'appendleft extendleft maxlen popleft rotate';
const COUNTER = 'elements most_common subtract total';
const TEXT = `${SEQUENCE} capitalize center endswith expandtabs find isalnum isalpha isascii isdigit islower isspace istitle
  isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit
  rstrip split splitlines startswith strip swapcase title translate upper zfill`;

/** Public attributes of CPython's builtin types, 3.8 to 3.13, with those of the types of `collections` that stand for them. */
const ATTRIBUTES: Readonly<Record<TypeName, ReadonlySet<string>>> = {
  PyStr: words(`${TEXT} casefold encode format format_map isdecimal isidentifier isnumeric isprintable`),
  PyBytes: words(`${TEXT} append clear copy decode extend fromhex hex insert pop remove reverse`),
  PyNum: words(
    'as_integer_ratio bit_count bit_length conjugate denominator from_bytes fromhex hex imag is_integer numerator real to_bytes',
  ),
  PyList: words(`${LIST} ${DEQUE}`),
  PyTuple: words(SEQUENCE),
  PyDict: words(
    `clear copy default_factory fromkeys get items keys maps move_to_end new_child parents pop popitem setdefault update values ${COUNTER}`,
  ),
  PySet: words(
    `add clear copy difference difference_update discard intersection intersection_update isdisjoint issubset issuperset pop
    remove symmetric_difference symmetric_difference_update union update`,
  ),
  // Generators, what `map` and `itertools` give, and the views of a dict.
  PyIterator: words(
    `aclose ag_await ag_frame asend athrow close from_iterable gi_code gi_frame gi_running gi_suspended gi_yieldfrom
    isdisjoint mapping send throw`,
  ),
};

/**
 * Whether a value of a builtin type can have an attribute. Where many types meet, as in a visitor, this keeps numbers and
 * texts from being asked for what only instances have.
 */
export function hasAttribute(type: TypeName, name: string): boolean {
  return name.startsWith('_') || ATTRIBUTES[type].has(name);
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

/** Builtin types under the names that their methods have in the graph. */
export const TYPE_NAMES: Readonly<Record<string, TypeName>> = {
  str: 'PyStr',
  bytes: 'PyBytes',
  int: 'PyNum',
  float: 'PyNum',
  list: 'PyList',
  tuple: 'PyTuple',
  dict: 'PyDict',
  set: 'PySet',
  frozenset: 'PySet',
};
