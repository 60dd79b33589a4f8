import type { Ecosystem } from '../goal';
import { go } from './go';
import { java } from './java';
import { native } from './native';
import { node } from './node';
import { python } from './python';
import { rust } from './rust';

export { everywhere } from './everywhere';

/** One line an ecosystem. */
export const ECOSYSTEMS: readonly Ecosystem[] = [python, node, go, rust, native, java];
