import type { z } from 'zod';
import type { Subject } from '../../contract';
import type { HarnessBench } from './measure';
import { GenerateLine, type RecordedCall, RecordLine } from './protocol';
import { type GuestAnswer, type HarnessRoomSpec, openHarnessRoom } from './session';
import type { HarnessHost } from './tools-image';

export interface RecordTask {
  readonly subjects: readonly Subject[];
  /** Runs the repository's own tests. */
  readonly testCommand: string;
  readonly callsPerFunction: number;
  readonly seconds: number;
}

export interface RecordedCalls {
  /** By dotted name of the function. */
  readonly calls: Readonly<Record<string, readonly RecordedCall[]>>;
  /** How the run of the tests ended, where that was not well. */
  readonly note: string;
}

/**
 * Runs the repository's own tests under the recorder, in a container without network, and gives the calls that can be made
 * again. Tests that fail are no error: what ran before counts. Safe to retry: the container begins fresh.
 */
export async function recordCalls(
  deps: HarnessHost,
  room: HarnessRoomSpec,
  { subjects, ...task }: RecordTask,
  signal: AbortSignal,
): Promise<RecordedCalls> {
  const { workdir, importRoots } = subjects[0]!;
  const answer = await openHarnessRoom(deps, room, signal, ({ record }) =>
    record({ workdir, importRoots, subjects: [...subjects], ...task }),
  );
  const lines = linesOf(RecordLine, answer);
  const end = lines.find((line) => line.kind === 'end');
  const calls = lines.flatMap((line) =>
    line.kind === 'function' ? [[`${line.module}.${line.name}`, line.calls]] : [],
  );
  const note = answer.cut ?? (end?.exitCode === 0 ? '' : `the tests ended with ${end?.exitCode ?? 'nothing'}`);
  return { calls: Object.fromEntries(calls) as RecordedCalls['calls'], note };
}

export interface GenerateTask {
  readonly examples: number;
  readonly seed: number;
  readonly seconds: number;
}

/** Calls with inputs that hypothesis finds, or the argument for which it knows none. Safe to retry as above. */
export async function generateCalls(
  deps: HarnessHost,
  { owner, role, image, subject, profile }: HarnessBench,
  task: GenerateTask,
  signal: AbortSignal,
): Promise<{ readonly calls: readonly RecordedCall[]; readonly note: string }> {
  const spec = { owner, role: `${role}-generate`, image, profile, python: subject.python };
  const answer = await openHarnessRoom(deps, spec, signal, ({ generate }) => generate({ subject, ...task }));
  const lines = linesOf(GenerateLine, answer);
  const refused = lines.find((line) => line.kind === 'refused');
  const note = refused ? `no inputs for ${refused.argument}: ${refused.why}` : (answer.cut ?? 'no inputs were found');
  return { calls: lines.flatMap((line) => (line.kind === 'calls' ? line.calls : [])), note };
}

/** Lines that can be read; the tests of a repository may have written into the channel. */
function linesOf<Line>(schema: z.ZodType<Line>, { lines }: GuestAnswer): Line[] {
  return lines.flatMap((line) => {
    try {
      const read = schema.safeParse(JSON.parse(line));
      return read.success ? [read.data] : [];
    } catch {
      return [];
    }
  });
}
