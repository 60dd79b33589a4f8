import type { Language } from '../../repository/facts';
import type { Ecosystem } from '../goal';
import { go } from './go';
import { java } from './java';
import { native } from './native';
import { node } from './node';
import { python } from './python';
import { rust } from './rust';

export { everywhere } from './everywhere';

/** What the playbook knows of each language. */
export const ECOSYSTEMS: Readonly<Record<Language, Ecosystem>> = {
  python,
  node,
  go,
  rust,
  c: native,
  cpp: native,
  java,
};
