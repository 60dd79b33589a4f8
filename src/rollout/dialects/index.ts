import type { DialectName } from '../../contract/names';
import { backticks } from './backticks';
import type { Dialect } from './dialect';
import { tools } from './tools';
import { xml } from './xml';

/** Every dialect by its name. A new one is a file, an entry here and a folder in `prompts/`. */
export const DIALECTS: Readonly<Record<DialectName, Dialect>> = { tools, xml, backticks };

export type { Dialect } from './dialect';
