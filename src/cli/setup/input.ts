import { resolve } from 'node:path';
import { PointsmanError, parseInput, parseSource, RepoSetupInput } from '../../contract';
import { completeService, serviceTrouble } from '../../setup/loop/services';
import type { Cli } from '../context';
import { given, type Written } from '../input-file';
import { warnOfProfiles } from '../options';

/** Flags that stand over what the input file says. */
export interface SetupFlags {
  readonly source?: string;
  readonly goal?: string;
  readonly base?: string;
  readonly agent?: string;
  readonly verifier?: string;
  readonly prosecutor?: string;
  /** False for `--no-judge`. */
  readonly judge?: string | false;
  readonly librarian?: string;
  readonly experience?: string;
  readonly speculate?: number;
  readonly steps?: number;
  readonly cost?: number;
  readonly service?: readonly string[];
  readonly component?: readonly string[];
  readonly reproduce?: boolean;
}

/**
 * File and flags put together and checked, defaults left to the workflow. Throws `InvalidInput` that names each wrong
 * field; a source or a service that cannot be is refused here, before anything starts.
 */
export function setupInput(written: Written, flags: SetupFlags): Written {
  const merged = absolute(withFlags(written, flags));
  const { source, family } = parseInput(RepoSetupInput, merged, 'setup');
  parseSource(source);
  for (const [at, { source: part }] of (family?.components ?? []).entries()) {
    parseSource(part, `family.components.${at}.source`);
  }
  for (const [at, spec] of (family?.services ?? []).entries()) {
    const trouble = serviceTrouble(completeService(spec));
    if (trouble)
      throw new PointsmanError('InvalidInput', `family.services.${at}: ${trouble}`, 'See docs/guide-setup.md.');
  }
  return merged;
}

function withFlags(written: Written, flags: SetupFlags): Written {
  const merged: Written = { ...written };
  const put = (fields: Readonly<Record<string, unknown>>, under?: string) => {
    const set = given(fields);
    if (Object.keys(set).length === 0) return;
    if (under === undefined) Object.assign(merged, set);
    else merged[under] = { ...(merged[under] as object | undefined), ...set };
  };
  const { source, goal, base, agent, verifier, prosecutor, judge, librarian } = flags;
  put({ source, goal, base });
  // Commander sets the second to true where the flag is not given: only a "no" was said by a person.
  put({ judge: judge === false ? false : undefined, reproduce: flags.reproduce === false ? false : undefined });
  put({ agent, verifier, prosecutor, judge: judge === false ? undefined : judge, librarian }, 'roles');
  put({ mode: flags.experience, speculate: flags.speculate }, 'experience');
  put({ steps: flags.steps, costUsd: flags.cost }, 'limits');
  put({ services: flags.service?.map((name) => ({ name })), components: flags.component?.map(component) }, 'family');
  return merged;
}

/** `NAME=SOURCE`; a source may hold `=` too, so the first one parts them. */
function component(text: string): { name: string; source: string } {
  const [, name, source] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name !== undefined && source !== undefined) return { name, source };
  throw new PointsmanError(
    'InvalidInput',
    `--component: expected NAME=SOURCE (found ${JSON.stringify(text)})`,
    'Like --component client=dir:../client.',
  );
}

/** The worker runs in another folder, so paths of sources are handed to it in full. */
function absolute(input: Written): Written {
  const family = input.family as { components?: unknown } | undefined;
  const components = Array.isArray(family?.components) ? (family.components as unknown[]) : undefined;
  return {
    ...input,
    ...(typeof input.source === 'string' ? { source: absoluteSource(input.source) } : {}),
    ...(components
      ? { family: { ...family, components: components.map((part) => withSource(part as { source?: unknown })) } }
      : {}),
  };
}

function withSource<T extends { source?: unknown }>(part: T): T {
  return typeof part?.source === 'string' ? { ...part, source: absoluteSource(part.source) } : part;
}

/** `dir:` and `archive:` with a path that is relative to the current folder, made absolute; all else as it is. */
export function absoluteSource(source: string): string {
  const [, kind, path, rest] = /^(dir|archive):(?!\/|https?:)([^#]+)(#.*)?$/s.exec(source) ?? [];
  return kind === undefined || path === undefined ? source : `${kind}:${resolve(path)}${rest ?? ''}`;
}

/** The worker may know other profiles than this machine, so this is only said; the workflow refuses what is wrong. */
export function warnOfPolicies(cli: Cli, input: Written): void {
  for (const [role, policy] of Object.entries(input.roles ?? {})) warnOfProfiles(cli, [policy], `roles.${role}`);
}
