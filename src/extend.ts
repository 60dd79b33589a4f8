import { DatasetFormat } from './contract/names';
import type { Exporter } from './dataset/exporters';
import { type AddedPolicy, addDialect, addPolicy, addTool } from './rollout/additions';
import type { Dialect } from './rollout/dialects';
import type { Tool } from './rollout/tools';
import { type AddedEcosystem, addEcosystem } from './setup/playbook/ecosystems';

/**
 * `pointsman/extend`: what a package of yours adds to Pointsman, as the default export of a file that `extensions` of
 * `pointsman.yaml` names. All but `backends` is pure: workflows run it too, so it imports nothing of Node.js.
 */
export interface Extensions {
  /** Formats in which models act. */
  readonly dialects?: readonly Dialect[];
  /** Folder of the dialects' prompts (`NAME/system.md`, `NAME/instance.md`), from the file's own. */
  readonly prompts?: string;
  /** Tools that every model is given. */
  readonly tools?: readonly Tool[];
  /** Hand-over policies by the name that inputs say. */
  // biome-ignore lint/suspicious/noExplicitAny: each has a value of its own, which its schema checks.
  readonly policies?: Readonly<Record<string, AddedPolicy<any>>>;
  /** Formats of training files. */
  readonly exporters?: readonly Exporter[];
  /** Languages of the built-in set-up agent. */
  readonly ecosystems?: readonly AddedEcosystem[];
  /** Where sandboxes run, by the name that `sandboxes.backend` says: a module's file whose default export is a `MakeSandboxes`. */
  readonly backends?: Readonly<Record<string, string>>;
}

/** Gives it back, checked by the compiler. */
export function defineExtensions(extensions: Extensions): Extensions {
  return extensions;
}

/**
 * Makes known what workflows need, in this process or in their sandbox. Once, before the first input is read. Throws
 * `InvalidInput` for a name that is taken.
 */
export function addExtensions({ dialects, tools, policies, exporters, ecosystems }: Extensions): void {
  dialects?.forEach(addDialect);
  tools?.forEach(addTool);
  for (const [name, policy] of Object.entries(policies ?? {})) addPolicy(name, policy);
  // Workflows check its name; who writes files adds the rest (`src/extensions.ts`).
  for (const { format } of exporters ?? []) DatasetFormat.add(format);
  ecosystems?.forEach(addEcosystem);
}

export { z } from 'zod';
export type { Exporter, LinesExporter } from './dataset/exporters';
export { fieldsOf, listOf, nothingTrained, textOf } from './dataset/exporters/read';
export type { AddedPolicy } from './rollout/additions';
export { type Dialect, defineDialect } from './rollout/dialects/dialect';
export { readCall } from './rollout/dialects/found-call';
export type { Policy } from './rollout/handover';
export { quote } from './rollout/shell';
export type { Tool } from './rollout/tools';
export type { MakeSandboxes } from './sandbox';
export { aptInstall } from './setup/playbook/apt';
export type { AddedEcosystem } from './setup/playbook/ecosystems';
export { shell, step } from './setup/playbook/goal';
