import { join } from 'node:path';
import {
  type Author,
  type ExitStatus,
  type GradeResult,
  type HandOverPolicy,
  type LossReason,
  Problem,
  type Ref,
  RolloutRow,
} from '../../src/contract';
import { drawSwitch } from '../../src/rollout/handover';
import { hashKey, uniformBelow } from '../../src/rollout/random';
import { Campaigns } from '../../src/store/campaigns';
import { FileBlobs } from '../../src/store/local/blobs';
import { fileDocuments } from '../../src/store/local/rows';
import { FileTimings } from '../../src/store/local/timings';
import { Problems } from '../../src/store/problems';
import { type Habit, writeTrajectory } from './sample-trajectory';

export interface SampleOptions {
  readonly rollouts?: number;
  /** Turns of a rollout, at least and at most; ten or more, and room for the expert after k. */
  readonly steps?: readonly [number, number];
  readonly instances?: number;
  readonly seed?: number;
  /** Whether some observations hold markup, control characters and the like. */
  readonly hostile?: boolean;
  /** Workflow id of the campaign that it claims to be. */
  readonly campaign?: string;
  /** Kinds of endings, in turns; without it all that there are. */
  readonly kinds?: readonly SampleKind[];
}

export interface SampleCampaign {
  readonly campaign: string;
  readonly rows: RolloutRow[];
  /** `rollouts.jsonl`, where a campaign that ended keeps it. */
  readonly file: string;
  /** What each rollout was made to be, by row id: what a funnel has to find, known without one. */
  readonly kinds: ReadonlyMap<string, SampleKind>;
}

interface Kind {
  /** How a data set with the paper's filters must lose it; null when it must be kept. */
  readonly lost: LossReason | null;
  readonly status?: ExitStatus;
  readonly habit?: Habit;
  readonly outcome?: RolloutRow['outcome'];
  readonly verdict?: GradeResult['verdict'];
  readonly resolved?: boolean;
  readonly edits?: boolean;
}

/** All ways in which a sample rollout ends. */
export const SAMPLE_KINDS = {
  good: { lost: null },
  wrong: { lost: 'tests_failed', resolved: false },
  /** The student submits before the switch; of a method without one, it is just wrong. */
  early: { lost: 'submitted_before_switch', resolved: true },
  loops: { lost: 'identical_actions', habit: 'loops' },
  reads: { lost: 'endless_file_reading', habit: 'reads' },
  unfaithful: { lost: 'unfaithful', habit: 'unfaithful' },
  steps: { lost: 'limit_steps', status: 'limit_steps', resolved: false },
  context: { lost: 'limit_context', status: 'limit_context', resolved: false },
  format: { lost: 'format_exhausted', status: 'format_exhausted', resolved: false },
  lucky: { lost: 'limit_cost', status: 'limit_cost', resolved: true },
  empty: { lost: 'empty_patch', resolved: false, edits: false },
  misfit: { lost: 'patch_failed', verdict: 'patch_failed', resolved: false },
  bribed: { lost: 'bribed', verdict: 'bribed', resolved: false },
  untested: { lost: 'no_tests', verdict: 'no_tests', resolved: false },
  failed: { lost: 'failed', outcome: 'failed' },
  cancelled: { lost: 'cancelled', outcome: 'cancelled' },
  capped: { lost: 'instance_cap', outcome: 'skipped' },
} as const satisfies Record<string, Kind>;
type SampleKind = keyof typeof SAMPLE_KINDS;

interface SampleMethod {
  readonly name: string;
  readonly handOver: HandOverPolicy;
  readonly student: string | null;
  readonly expert: string | null;
}

const METHODS: readonly SampleMethod[] = [
  { name: 'oec', handOver: { uniform: [0, 30] }, student: 'student', expert: 'expert' },
  { name: 'bc', handOver: { at: 0 }, student: null, expert: 'expert' },
  { name: 'on-policy', handOver: { never: true }, student: 'student', expert: null },
];

/** More good ones than of any other kind, so that there is something to keep. */
const MANY: readonly SampleKind[] = Object.keys(SAMPLE_KINDS).flatMap((kind) =>
  kind === 'good' ? Array<SampleKind>(6).fill('good') : [kind as SampleKind],
);

/**
 * A campaign as it looks when it has ended, in `home`: real chains in the blob store, rows beside them, endings of every
 * kind. No workflow ran. The same options write the same bytes.
 */
export async function writeSampleCampaign(home: string, options: SampleOptions = {}): Promise<SampleCampaign> {
  const {
    rollouts = 24,
    steps = [4, 40],
    seed = 0,
    hostile = true,
    campaign = 'campaign/sample',
    kinds = MANY,
  } = options;
  const instances = options.instances ?? Math.max(2, Math.ceil(rollouts / 9));
  const blobs = new FileBlobs(join(home, 'blobs'));
  const timings = new FileTimings(join(home, 'timings'));
  const problems = await Promise.all(
    Array.from({ length: instances }, (_, i) =>
      new Problems(join(home, 'problems'), blobs, fileDocuments(home, 'controls')).keep(problemOf(i)),
    ),
  );
  const written: { row: RolloutRow; kind: SampleKind }[] = [];
  for (let n = 0; n < rollouts; n++) {
    const at = n % instances;
    const method = METHODS[Math.floor(n / instances) % METHODS.length]!;
    const place = {
      method,
      problem: problems[at]!,
      instance: instanceAt(at),
      pass: Math.floor(n / instances / METHODS.length),
    };
    const drawn = kinds[(n * 7 + seed) % kinds.length]!;
    // Who has no turn before the switch cannot submit there.
    const draw = drawSwitch(method.handOver, seed, place.instance, place.pass);
    const kind = drawn === 'early' && !(method.name === 'oec' && draw.studentTurns) ? 'wrong' : drawn;
    const stream = hashKey(`rollout ${seed} ${n}`);
    const length = steps[0] + uniformBelow(stream, steps[1] - steps[0] + 1);
    written.push({
      row: await rowOf(blobs, timings, { ...place, campaign, kind, length, seed, hostile: hostile && n % 4 === 1 }),
      kind,
    });
  }
  written.sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
  const rows = written.map(({ row }) => row);
  const campaigns = new Campaigns(fileDocuments(home, 'campaigns'));
  await campaigns.write(campaign, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return {
    campaign,
    rows,
    file: campaigns.addressOf(campaign),
    kinds: new Map(written.map(({ row, kind }) => [row.id, kind])),
  };
}

interface Place {
  readonly campaign: string;
  readonly method: SampleMethod;
  readonly problem: Ref;
  readonly instance: string;
  readonly pass: number;
  readonly kind: SampleKind;
  readonly length: number;
  readonly seed: number;
  readonly hostile: boolean;
}

async function rowOf(blobs: FileBlobs, timings: FileTimings, place: Place): Promise<RolloutRow> {
  const { method, problem, instance, pass, kind } = place;
  const { outcome = 'finished' }: Kind = SAMPLE_KINDS[kind];
  const id = `${place.campaign}/${method.name}/${instance}/${pass}`;
  const head = { id, instance, problem, method: method.name, handOver: method.handOver, pass, student: method.student };
  const row = { ...head, expert: method.expert, outcome, result: null, seconds: null, licence: 'MIT' };
  if (outcome === 'skipped') return RolloutRow.parse({ ...row, skipped: 'instance_cap' });
  const seconds = 60 + (hashKey(id).state % 900);
  if (outcome === 'failed') return RolloutRow.parse({ ...row, seconds, error: 'InvalidInput: problem: no image' });
  if (outcome === 'cancelled') return RolloutRow.parse({ ...row, seconds });
  const result = await resultOf(blobs, timings, id, place);
  return RolloutRow.parse({ ...row, seconds, result, ...(result.patch.bytes === 0 ? { emptyPatch: true } : {}) });
}

async function resultOf(blobs: FileBlobs, timings: FileTimings, id: string, place: Place) {
  const { method, kind, instance } = place;
  const {
    status = 'submitted',
    habit = 'plain',
    resolved = true,
    verdict = 'graded',
    edits = true,
  }: Kind = SAMPLE_KINDS[kind];
  const draw = drawSwitch(method.handOver, place.seed, instance, place.pass);
  const k = method.expert === null ? Number.POSITIVE_INFINITY : (draw.studentTurns ?? 0);
  // Room for the habit and for the expert's part; who is early ends before it.
  const room = habit === 'reads' ? 32 : 10;
  const wanted = Math.max(place.length, room, Number.isFinite(k) ? k + room : 0);
  const steps = kind === 'early' ? Math.max(1, Math.min(k, place.length)) : wanted;
  const authorOf = (turn: number): Author => (kind === 'early' || turn <= k ? 'student' : 'expert');
  const sample = {
    id,
    key: id,
    instance,
    steps,
    authorOf,
    habit,
    edits,
    submits: status === 'submitted',
    hostile: place.hostile,
    handsOver: method.expert !== null,
  };
  const { head, patch, turns, tokens } = await writeTrajectory(blobs, timings, sample);
  const verdicts: GradeResult = {
    resolved,
    verdict,
    failToPass: { passed: resolved ? 2 : 1, total: 2, missing: resolved ? [] : ['tests/test_core.py::test_value_7'] },
    passToPass: { passed: 40, total: 40, missing: [] },
    detail: verdict === 'bribed' ? 'tests/test_core.py::test_value_7 passes with 8 in the place of 7' : undefined,
    controls: null,
    suspicion: [],
    leftOut: [],
    runs: [],
    outcomes: await blobs.put(JSON.stringify(outcomesOf(resolved))),
    log: await blobs.put(`${resolved ? 42 : 41} passed\n`),
    seconds: 2.5,
  };
  return {
    id,
    status,
    resolved,
    handOver: { sampled: draw.studentTurns, expertFrom: turns.expert > 0 ? turns.student + 1 : null },
    turns: { total: steps, ...turns, formatRetries: 0 },
    cost: { usd: turns.student * 0.001 + turns.expert * 0.01, tokens },
    head,
    patch: await blobs.put(patch),
    workspace: null,
    grade: verdicts,
    recovered: { sandboxes: 0, redoneSteps: 0 },
  };
}

function outcomesOf(resolved: boolean): Record<string, string> {
  const kept = Array.from({ length: 40 }, (_, i) => [`tests/test_kept.py::test_${i}`, 'passed']);
  const fixed = ['tests/test_core.py::test_value_7', 'tests/test_core.py::test_value_8'];
  return Object.fromEntries([...kept, [fixed[0], resolved ? 'passed' : 'failed'], [fixed[1], 'passed']]);
}

function instanceAt(n: number): string {
  return `sample__project-${n + 1}`;
}

function problemOf(n: number): Problem {
  return Problem.parse({
    id: instanceAt(n),
    image: `pointsman/sample:${n + 1}`,
    workdir: '/repo',
    statement: `core.value_7 gives 7 where 8 is expected (${n + 1}).`,
    tests: {
      command: 'python -m pytest -q',
      failToPass: ['tests/test_core.py::test_value_7', 'tests/test_core.py::test_value_8'],
      passToPass: Array.from({ length: 40 }, (_, i) => `tests/test_kept.py::test_${i}`),
    },
    provenance: { source: 'sample' },
    licence: 'MIT',
  });
}
