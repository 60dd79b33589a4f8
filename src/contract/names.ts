import { z } from 'zod';

/**
 * Names that inputs may say of what can be added to Pointsman. A table of the same names, typed by this one, holds what each
 * is: add a name, and the compiler asks for its entry (docs/extending.md).
 */

export const DialectName = z.enum(['tools', 'xml', 'backticks']);
export type DialectName = z.infer<typeof DialectName>;

/**
 * Files that a data set is written as. `universal`: messages with every trainer's mask field. `openai`: strict, `weight` 0/1.
 * `trl`: prompt and completion. `axolotl`: `message_field_training`. `tokens`: ids and labels. `swesmith-*`: as SWE-smith
 * names its styles. `sharegpt`, `sharegpt-turns` (one row per trained turn). `traj`: a folder of SWE-agent `.traj` files with
 * `preds.json`. `atif`: agent trajectory interchange.
 */
export const DatasetFormat = z.enum([
  'universal',
  'openai',
  'trl',
  'axolotl',
  'tokens',
  'swesmith-xml',
  'swesmith-ticks',
  'swesmith-tool',
  'sharegpt',
  'sharegpt-turns',
  'traj',
  'atif',
]);
export type DatasetFormat = z.infer<typeof DatasetFormat>;

export const AtomName = z.enum([
  'pip_install',
  'pip_pin',
  'set_env',
  'set_pytest_flag',
  'set_umask',
  'set_django_setting',
  'or_upgrade_pkg',
  'apt_install',
  'conda_install',
  'npm_install',
  'shell',
  'adjust_command',
]);
export type AtomName = z.infer<typeof AtomName>;
