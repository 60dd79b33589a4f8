import { type ModuleSyntax, openPython } from '@pointsman/python';
import { SandboxProfile, type Subject } from '../../../src/contract';
import type { HarnessBench } from '../../../src/environments/harness/measure';
import { moduleText } from '../../../src/environments/harness/purge';
import { openHarnessRoom } from '../../../src/environments/harness/session';
import { ensureHarnessImage, type HarnessHost } from '../../../src/environments/harness/tools-image';
import { functionAt } from '../../../src/problems/candidate';
import { harnessOf } from './cases';
import { toolzImage, WORKDIR } from './toolz-image';

/** `toolz.itertoolz.groupby`: a dict of lists, in the order of the first of each. */
export const GROUPBY = harnessOf({
  lengths: "return call(subject, len, ['Alice', 'Bob', 'Charlie', 'Dan', 'Edith', 'Frank'])",
  parity: 'return call(subject, lambda x: x % 2 == 0, [1, 2, 3, 4, 5, 6, 7, 8])',
  by_item: "return call(subject, 'a', [{'a': 1, 'b': 2}, {'a': 3}, {'a': 1, 'b': 9}])",
  by_items: "return call(subject, ['x', 'y'], [{'x': 1, 'y': 2, 'z': 3}, {'x': 1, 'y': 2}, {'x': 5, 'y': 6}])",
});

export interface Bench {
  readonly bench: HarnessBench;
  readonly module: ModuleSyntax;
}

/** A function of toolz in its environment, ready to be harnessed. */
export async function toolzBench(
  deps: HarnessHost,
  owner: HarnessBench['owner'],
  name: string,
  more: Partial<HarnessBench> = {},
  module = 'toolz.itertoolz',
): Promise<Bench> {
  const signal = new AbortController().signal;
  const question = { workdir: WORKDIR, importRoots: ['.'], modules: ['toolz.itertoolz', 'toolz.dicttoolz'] };
  const tools = await ensureHarnessImage(deps, owner, { image: await toolzImage(), ...question }, signal);
  const { image, importRoots, python } = tools;
  const profile = SandboxProfile.parse({ memoryMiB: 512, pids: 128, diskMiB: 256 });
  const file = `${module.replaceAll('.', '/')}.py`;
  const target = { module, name, kind: 'function' as const, file, lines: [1, 1] as [number, number] };
  const unplaced: Subject = { target, workdir: WORKDIR, importRoots, python };
  const room = { owner, role: 'read', image, profile, python };
  const text = await openHarnessRoom(deps, room, signal, ({ sandbox }) => moduleText(sandbox, unplaced));
  const syntax = (await openPython()).parse(file, text);
  const { line, endLine } = functionAt(syntax, target)!.statement;
  const subject = { ...unplaced, target: { ...target, lines: [line, endLine] as [number, number] } };
  return { bench: { owner, role: name, image, subject, profile, seed: 0, secondsPerCase: 3, ...more }, module: syntax };
}
