import { z } from 'zod';
import { PointsmanError } from './errors';

/** Names of a table, to which extensions add theirs before the first input is read (`src/extend.ts`). */
export interface Names<Name extends string> extends z.ZodType<Name, Name> {
  /** All, those of extensions last. */
  readonly options: readonly Name[];
  /** Throws `InvalidInput` for one that is there. */
  add(name: string): void;
}

function openNames<const Name extends string>(...own: Name[]): Names<Name> {
  const options = [...own];
  // One check at parse time, so that names which came later are known; errors are those of an enum.
  const schema = z
    .string()
    .superRefine((input, context) => {
      if (!options.includes(input as Name)) context.addIssue({ code: 'invalid_value', values: options, input });
    })
    .meta({ enum: own }) as unknown as z.ZodType<Name, Name>;
  return Object.assign(schema, {
    options,
    add(name: string) {
      if (options.includes(name as Name)) throw new PointsmanError('InvalidInput', `the name ${name} is taken`);
      options.push(name as Name);
    },
  });
}

/**
 * Names that inputs may say of what can be added to Pointsman. A table of the same names, typed by this one, holds what each
 * is: add a name, and the compiler asks for its entry (docs/extending.md). Those that extensions add come at run time.
 */

export const DialectName = openNames('tools', 'xml', 'backticks');
export type DialectName = z.infer<typeof DialectName>;

/**
 * Files that a data set is written as. `universal`: messages with every trainer's mask field. `openai`: strict, `weight` 0/1.
 * `trl`: prompt and completion. `axolotl`: `message_field_training`. `tokens`: ids and labels. `swesmith-*`: as SWE-smith
 * names its styles. `sharegpt`, `sharegpt-turns` (one row per trained turn). `traj`: a folder of SWE-agent `.traj` files with
 * `preds.json`. `atif`: agent trajectory interchange. `nemo-gym`, `skyrl`, `verifiers`: tokens as they were sampled, with
 * rewards, for reinforcement learning.
 */
export const DatasetFormat = openNames(
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
  'nemo-gym',
  'skyrl',
  'verifiers',
  'distill',
);
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
  'dated_world',
]);
export type AtomName = z.infer<typeof AtomName>;
