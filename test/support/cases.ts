import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProblemInitInput } from '../../src/contract';
import { BASE_IMAGE } from '../../src/machine/image';
import type { ScriptInput } from '../../src/model/rehearsal/script';
import { FULL } from './counts';

/** Real bug fixes with the lists that they gave when they were recorded; see the README beside them. */
export const CASES = join(__dirname, '../../../shared/cases');
/** Its tests take a second; those of the others up to a minute a run, and a case needs eight runs. */
const QUICKEST = ['T09'];

export interface Case {
  readonly id: string;
  readonly source: { readonly name: string; readonly version: string };
  readonly problem_statement: string;
  readonly setup: readonly string[];
  readonly test_cmd: string;
  readonly gold_patch: string;
  readonly test_patch: string;
  readonly fail_to_pass: readonly string[];
  readonly pass_to_pass: string;
}

/** The bug fixes to run: one on every commit, all with POINTSMAN_CHAOS=full, those that CASES names where it is set. */
export function chosenCases(): Case[] {
  if (!existsSync(CASES)) return [];
  const wanted = process.env.CASES?.split(',') ?? (FULL ? undefined : QUICKEST);
  return readFileSync(join(CASES, 'cases.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Case & { kind: string })
    .filter(({ kind, id }) => kind === 'T' && (wanted?.includes(id) ?? true));
}

export function passToPass(each: Case): string[] {
  return JSON.parse(readFileSync(join(CASES, each.pass_to_pass), 'utf8')) as string[];
}

/**
 * An `oracle` that applies the gold patch of whichever case it is asked about and then submits, and an `idler` that
 * submits at once. Several cases share a repository, so that their statement is what tells them apart.
 */
export function oracleAndIdler(cases: readonly Case[]): ScriptInput {
  const scenes = cases.map((each) => ({
    when: each.problem_statement.split('\n')[0]!.trim(),
    turns: [{ thought: 'I know the fix.', tool: 'bash', args: { command: applied(each) } }],
  }));
  return { models: { oracle: { dialect: 'tools', position: 'turn', scenes }, idler: { dialect: 'tools' } } };
}

/** A command that applies the gold patch. */
export function applied(each: Case): string {
  const patch = readFileSync(join(CASES, each.gold_patch), 'utf8');
  return `git apply <<'END_OF_PATCH'\n${patch.replace(/\n?$/, '\n')}END_OF_PATCH`;
}

/** Input of the workflow that makes the problem from its released source and the recorded patches. */
export function initInput({ id, source, problem_statement, setup, test_cmd, ...each }: Case): ProblemInitInput {
  const patch = (path: string) => readFileSync(join(CASES, path), 'utf8');
  return {
    id: id.toLowerCase(),
    before: `pypi:${source.name}==${source.version}`,
    tests: patch(each.test_patch),
    gold: patch(each.gold_patch),
    ...{ statement: problem_statement, setup: [...setup], test: test_cmd, timeoutSeconds: 900 },
    ...{ parser: { kind: 'pytest' }, base: BASE_IMAGE, workdir: '/testbed', runs: 2 },
  };
}
