import type { CaseOutcome, ValueTree } from '../../contract';

/**
 * Whether a value says anything that a wrong function would get wrong: None and values that cannot be looked at say nothing, nor do
 * containers of nothing else. An empty container does: another could have held something.
 */
export function isInformative(tree: ValueTree): boolean {
  switch (tree.t) {
    case 'none':
    case 'opaque':
    case 'ref':
      return false;
    case 'list':
    case 'tuple':
    case 'set':
    case 'frozenset':
    case 'deque':
      return tree.v.length === 0 || tree.v.some(isInformative);
    case 'iterator':
      return tree.v.length === 0 || tree.raised !== undefined || tree.v.some(isInformative);
    case 'dict':
      return tree.v.length === 0 || tree.v.some(([key, value]) => isInformative(key) || isInformative(value));
    case 'object':
      // Of a call its parts speak; of any other object its type does already.
      return tree.type !== 'call' || tree.state.some(([, value]) => isInformative(value));
    case 'bool':
    case 'int':
    case 'float':
    case 'complex':
    case 'str':
    case 'bytes':
    case 'scalar':
    case 'array':
    case 'frame':
    case 'exception':
    case 'name':
      return true;
    default:
      return tree satisfies never;
  }
}

/** Whether a case came to anything that a candidate can be compared with. */
export function isInformativeOutcome({ status, value, files }: CaseOutcome): boolean {
  if (status === 'raised' || Object.keys(files).length > 0) return true;
  return status === 'returned' && value !== undefined && isInformative(value);
}
