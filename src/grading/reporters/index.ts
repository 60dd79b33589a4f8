import { cargo } from './cargo';
import { ctest } from './ctest';
import { go } from './go';
import { jestTests, mocha, vitest } from './javascript';
import { junit } from './junit';
import { node } from './node';
import { pytest } from './pytest';
import type { Reporter, ReporterName } from './reporter';
import { reward } from './reward';
import { tap } from './tap';
import { unittest } from './unittest';

/** Test runners whose reports can be read. A new one is a file and a line here. */
export const REPORTERS: Readonly<Record<ReporterName, Reporter>> = {
  pytest,
  unittest,
  go,
  cargo,
  jest: jestTests,
  vitest,
  mocha,
  node,
  ctest,
  tap,
  junit,
  reward,
};
