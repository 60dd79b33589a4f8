import { createHash } from 'node:crypto';
import { wilson } from '../../src/analysis/paired';
import type {
  CampaignResult,
  CovariateShiftResult,
  DatasetResult,
  ExitStatus,
  FailureAnalysisResult,
  FailureCategory,
  FunctionProblemsResult,
  GradeResult,
  HandOverPolicy,
  LossReason,
  RepoSetupResult,
  RolloutRow,
  ShiftPoint,
} from '../../src/contract';
import { funnelsOf } from '../../src/dataset/funnel';
import { lossOf } from '../../src/dataset/losses';
import { survivalOf } from '../../src/dataset/survival';
import type { ReportMaterial, Run } from '../../src/pages/report/material';
import { hashKey, type Stream, uniformBelow, uniformUnit } from '../../src/rollout/random';

/** Text that must do nothing wherever a name can stand. */
const HOSTILE = `</title></script><script>window.owned=1</script><img src=x onerror="window.owned=1">"'=&\u202egnp.exe\u0000`;

const METHODS: readonly (readonly [name: string, handOver: HandOverPolicy, skill: number])[] = [
  ['oec', { uniform: [0, 30] }, 0.62],
  ['bc', { at: 0 }, 0.66],
  ['on-policy', { never: true }, 0.34],
];
const LICENCES = ['MIT', 'BSD-3-Clause', 'Apache-2.0', null];

const SOURCE = { campaign: 'campaign/demo' };
const SHIFT_INPUT = {
  expert: { name: 'expert', source: SOURCE, method: 'bc' },
  students: ['student-7b', 'student-32b'].map((name) => ({ name, source: SOURCE })),
  seed: 1,
};

interface SampleOptions {
  readonly seed?: string;
  readonly instances?: number;
  readonly passes?: number;
}

/** Rollouts of three methods with all kinds of endings: what a campaign of a few hundred leaves. Deterministic by seed. */
export function sampleRows({ seed = 'rows', instances = 20, passes = 5 }: SampleOptions = {}): RolloutRow[] {
  const stream = hashKey(seed);
  return METHODS.flatMap(([method, handOver, skill]) =>
    Array.from({ length: instances * passes }, (_, at) =>
      sampleRow(stream, { method, handOver, skill, at: at % instances, pass: Math.floor(at / instances) }),
    ),
  );
}

function sampleRow(
  stream: Stream,
  place: { method: string; handOver: HandOverPolicy; skill: number; at: number; pass: number },
): RolloutRow {
  const { method, handOver, skill, at, pass } = place;
  const chance = (share: number) => uniformUnit(stream) < share;
  const instance = `toolz__itertoolz.${['countby', 'groupby', 'merge_sorted', 'sliding_window', 'partition'][at % 5]}-${at}`;
  const id = `campaign/demo/${method}/${instance}/${pass}`;
  const [student, expert] = [method === 'bc' ? null : 'student-32b', method === 'on-policy' ? null : 'expert'];
  const about = { id, instance, problem: null, method, handOver, pass, student, expert, licence: LICENCES[at % 4]! };
  if (chance(0.02)) return { ...about, outcome: 'skipped', skipped: 'budget_exhausted', result: null, seconds: null };
  if (chance(0.01)) return { ...about, outcome: 'failed', error: 'no image', result: null, seconds: 3 };
  const k = method === 'oec' ? uniformBelow(stream, 31) : method === 'bc' ? 0 : null;
  const early = method === 'oec' && chance(0.011 * (k ?? 0));
  const stuck = !early && chance(0.15);
  const endings: ExitStatus[] = [
    'limit_steps',
    'limit_steps',
    'limit_context',
    'format_exhausted',
    'timeouts_exhausted',
  ];
  const status: ExitStatus = stuck ? endings[uniformBelow(stream, endings.length)]! : 'submitted';
  const difficulty = ((at * 7) % 10) / 18;
  const resolved = !stuck && chance(Math.max(0.05, skill + 0.25 - difficulty - (early ? 0.3 : 0)));
  const studentTurns =
    method === 'on-policy' ? 12 + uniformBelow(stream, 40) : early ? Math.max(1, (k ?? 0) - 2) : (k ?? 0);
  const expertTurns = method === 'on-policy' || early ? 0 : 8 + uniformBelow(stream, 25);
  const usd = (studentTurns * 0.0011 + expertTurns * 0.021) * (0.7 + 0.6 * uniformUnit(stream));
  const empty = !resolved && chance(0.1);
  const seconds = (studentTurns + expertTurns) * (6 + 8 * uniformUnit(stream));
  return {
    ...about,
    outcome: 'finished',
    result: {
      id,
      status,
      resolved,
      handOver: { sampled: k, expertFrom: expertTurns > 0 ? (k ?? 0) + 1 : null },
      turns: { total: studentTurns + expertTurns, student: studentTurns, expert: expertTurns, formatRetries: 0 },
      cost: { usd, tokens: (studentTurns + expertTurns) * 5200 },
      head: digest(id),
      patch: { sha256: digest(`patch of ${id}`), bytes: empty ? 0 : 800 },
      workspace: null,
      grade: gradeOf(resolved),
      recovered: { sandboxes: 0, redoneSteps: 0 },
    },
    seconds,
  };
}

function gradeOf(resolved: boolean): GradeResult {
  return {
    resolved,
    verdict: 'graded',
    failToPass: { passed: resolved ? 3 : 1, total: 3, missing: [] },
    passToPass: { passed: 40, total: 40, missing: [] },
    controls: null,
    suspicion: [],
    leftOut: [],
    runs: [],
  } as unknown as GradeResult;
}

/** What a data set would drop of rows that pass: some for repetition, some by caps. */
function laterLosses(rows: readonly RolloutRow[]): Map<string, LossReason> {
  const stream = hashKey('later');
  const losses = new Map<string, LossReason>();
  for (const { id, method, result } of rows) {
    if (!result?.resolved || result.status !== 'submitted') continue;
    const drawn = uniformUnit(stream);
    if (method === 'on-policy') losses.set(id, drawn < 0.09 ? 'endless_file_reading' : 'nothing_trained');
    else if (drawn < 0.04) losses.set(id, 'identical_actions');
    else if (drawn < 0.09) losses.set(id, 'endless_file_reading');
    else if (drawn < 0.12) losses.set(id, 'too_long');
    else if (drawn < 0.22) losses.set(id, 'kept_enough_of_instance');
  }
  return losses;
}

export function sampleMaterial(options: SampleOptions = {}): ReportMaterial {
  const rows = sampleRows(options);
  const later = laterLosses(rows);
  const funnels = funnelsOf(rows, later);
  const kept = new Map(funnels.map(({ method, funnel }) => [method, funnel.stages.at(-1)!.count]));
  const ended = rows.filter(({ result }) => result);
  const cost = {
    usd: ended.reduce((sum, { result }) => sum + result!.cost.usd, 0),
    tokens: ended.reduce((sum, { result }) => sum + result!.cost.tokens, 0),
  };
  const campaign: CampaignResult = {
    id: 'campaign/demo',
    status: 'complete',
    instances: new Set(rows.map(({ instance }) => instance)).size,
    planned: rows.length,
    counts: {
      finished: rows.filter(({ outcome }) => outcome === 'finished').length,
      resolved: rows.filter(({ result }) => result?.resolved).length,
      failed: rows.filter(({ outcome }) => outcome === 'failed').length,
      cancelled: 0,
      skipped: rows.filter(({ outcome }) => outcome === 'skipped').length,
    },
    funnels: funnelsOf(rows),
    rollouts: { sha256: digest('rollouts'), bytes: 1 },
    cost,
  };
  return {
    name: 'demo',
    title: 'On-policy expert corrections on toolz',
    campaigns: [
      run('campaign', campaign, {
        problems: 'problems.jsonl',
        methods: METHODS.map(([name]) => ({ name })),
        seed: 7,
        passes: 5,
      }),
    ],
    dataset: run('dataset', sampleDataset(rows, funnels, kept), {
      name: 'demo',
      sources: [{ campaign: 'campaign/demo' }],
      seed: 24,
    }),
    covariateShift: run('covariateShift', sampleShift(), SHIFT_INPUT),
    failureAnalysis: run('failureAnalysis', sampleFailures(rows), { judge: 'judge-model' }),
    setups: sampleSetups(),
    problems: [run('functionProblems', sampleBuild(), { environment: 'setup/toolz', seed: 3 })],
    problemReports: [BUILD_REPORT],
    rows,
    dropped: rows.filter((row) => lossOf(row) || later.has(row.id)).map(({ id }) => id),
    rehearsal: false,
    scripted: [],
    links: { temporalUi: 'http://127.0.0.1:8233/namespaces/default', viewer: 'http://127.0.0.1:4173/' },
    version: '0.1.0',
  };
}

/** Rollouts of one method and nothing else. */
export function sparseMaterial(): ReportMaterial {
  const rows = sampleRows({ seed: 'sparse', instances: 2, passes: 3 }).filter(({ method }) => method === 'on-policy');
  return {
    name: 'sparse',
    title: 'Six rollouts',
    campaigns: [],
    dataset: null,
    covariateShift: null,
    failureAnalysis: null,
    setups: [],
    problems: [],
    problemReports: [],
    rows,
    dropped: null,
    rehearsal: true,
    scripted: ['student-32b'],
    links: {},
    version: '0.1.0',
  };
}

/** The full one, with text that must do nothing wherever others choose a name. */
export function hostileMaterial(): ReportMaterial {
  const full = sampleMaterial({ instances: 4, passes: 3 });
  const shift = full.covariateShift!;
  return {
    ...full,
    title: HOSTILE,
    scripted: [HOSTILE],
    rehearsal: true,
    rows: full.rows.map((row) => ({
      ...row,
      instance: `${HOSTILE}${row.instance}`,
      method: row.method === 'oec' ? `=cmd|' /C calc'!A0${HOSTILE}` : row.method,
      licence: HOSTILE,
      error: HOSTILE,
    })),
    covariateShift: {
      ...shift,
      result: {
        ...shift.result,
        embedding: HOSTILE,
        points: shift.result.points.map((point) => ({ ...point, student: `${HOSTILE}${point.student}` })),
      },
    },
    setups: full.setups.map((each) => ({
      ...each,
      input: { experience: { mode: 'off' }, seed: HOSTILE },
      result: { ...each.result, id: `setup/${HOSTILE}`, source: HOSTILE },
    })),
    problems: full.problems.map((each) => ({
      ...each,
      result: { ...each.result, environment: { ...each.result.environment, source: HOSTILE, licence: HOSTILE } },
    })),
    problemReports: [
      BUILD_REPORT.replaceAll('builtin:hypothesis', HOSTILE.replaceAll('|', '\\|').replaceAll('\u0000', '')),
    ],
    links: {
      temporalUi: 'javascript:window.owned=1' as string,
      viewer: `http://127.0.0.1/"><script>window.owned=1</script>`,
    },
  };
}

function run<Result>(type: string, result: Result, input: unknown): Run<Result> {
  return {
    type,
    result,
    input,
    queue: 'pointsman',
    startedAt: '2026-11-20T08:00:00.000Z',
    endedAt: '2026-11-20T14:30:12.000Z',
  };
}

function sampleDataset(
  rows: readonly RolloutRow[],
  funnels: DatasetResult['funnels'],
  kept: ReadonlyMap<string, number>,
): DatasetResult {
  const total = [...kept.values()].reduce((sum, count) => sum + count, 0);
  const repetition = funnels.map(({ method, funnel }) => {
    const at = (stage: string) => funnel.stages.find((each) => each.stage === stage)!.count;
    const [passed, left] = [at('passed'), at('not_repetitive')];
    return { method, passed, dropped: passed - left, rate: passed === 0 ? 0 : (passed - left) / passed };
  });
  const formats = ['universal', 'openai', 'trl', 'axolotl'] as const;
  return {
    id: 'dataset/demo',
    folder: '/home/you/.pointsman/datasets/demo',
    rows: total,
    turns: total * 31,
    trainedTurns: total * 17,
    tokens: total * 14_200,
    funnels,
    survival: survivalOf(rows),
    repetition,
    mixture: [...kept].filter(([, count]) => count > 0).map(([name, count]) => ({ name, rows: count })),
    files: formats.flatMap((format) =>
      (['jsonl', 'parquet'] as const).map((kind) => {
        const path = `train.${format}.${kind}`;
        return {
          path,
          format,
          split: 'train' as const,
          left: format === 'axolotl' ? [{ reason: 'no room for tools', count: 1 }] : [],
          rows: total,
          sha256: digest(path),
          bytes: total * (kind === 'jsonl' ? 61_000 : 14_000),
        };
      }),
    ),
    dropped: { sha256: digest('dropped'), bytes: 1 },
    card: { sha256: digest('card'), bytes: 1 },
  };
}

function sampleShift(): CovariateShiftResult {
  const points = (['student-7b', 'student-32b'] as const).flatMap((student, at) =>
    Array.from({ length: 40 }, (_, index): ShiftPoint => {
      const turn = index + 1;
      const rise =
        (0.12 + 0.5 / (1 + Math.exp(-(turn - 18) / 4)) + turn * 0.004 - 0.1 * Math.exp(-((turn - 9) ** 2) / 12)) *
        (at === 0 ? 1.25 : 0.8);
      const n = Math.max(4, Math.round(50 - Math.max(0, turn - 12) * (at === 0 ? 1.2 : 1.5)));
      const around = (mean: number, spread: number) => ({ mean, low: mean * (1 - spread), high: mean * (1 + spread) });
      const spread = 0.07 + turn * 0.002;
      return {
        student,
        turn,
        nStudent: n,
        nExpert: Math.max(5, n - 3),
        bootstrapped: n < 20,
        fd2: around(rise, spread),
        fd: around(Math.sqrt(rise), spread / 2),
        baselineFd2: around(0.09 + turn * 0.0012, 0.12),
        kl: around(140 * rise, spread * 1.3),
        pcaFd2: around(rise * 0.31, spread),
        pValue: Math.max(0.005, 0.4 * Math.exp(-turn / 4)),
      };
    }),
  );
  return {
    id: 'shift/demo',
    folder: '/home/you/.pointsman/analyses/shift-demo',
    groups: [
      { name: 'expert', rollouts: 500, embedded: 500 },
      { name: 'student-7b', rollouts: 500, embedded: 497 },
      { name: 'student-32b', rollouts: 500, embedded: 500 },
    ],
    embedding: 'qwen3-embedding',
    dimensions: 4096,
    instances: Array.from({ length: 10 }, (_, at) => `instance-${at}`),
    points,
    files: [],
    cost: { usd: 1.84, tokens: 9_200_000 },
  };
}

function sampleFailures(rows: readonly RolloutRow[]): FailureAnalysisResult {
  const stream = hashKey('failures');
  const yes: FailureCategory[] = [
    'wrong_solution',
    'wrong_solution',
    'wrong_solution',
    'misunderstood_problem_statement',
    'misunderstood_problem_statement',
    'missed_edge_case',
    'syntax_error',
    'identified_incorrect_file',
    'other',
  ];
  const no: FailureCategory[] = [
    'infinite_loop',
    'infinite_loop',
    'endless_file_reading',
    'tool_error',
    'context_overflow_from_listing',
    'wrong_solution',
  ];
  const methods = [...new Set(rows.map(({ method }) => method))];
  const table = methods.map((method) => {
    const own = rows.flatMap((row) => (row.method === method && row.result ? row.result : []));
    const unresolved = own.filter(({ resolved }) => !resolved);
    const counts = (submitted: boolean, from: readonly FailureCategory[]) => {
      const found: Partial<Record<FailureCategory, number>> = {};
      for (const { status } of unresolved) {
        if ((status === 'submitted') !== submitted) continue;
        const category = from[uniformBelow(stream, from.length)]!;
        found[category] = (found[category] ?? 0) + 1;
      }
      return found;
    };
    const submitted = unresolved.filter(({ status }) => status === 'submitted').length;
    return {
      method,
      rollouts: own.length,
      resolved: own.length - unresolved.length,
      submitted,
      notSubmitted: unresolved.length - submitted,
      whenSubmitted: counts(true, yes),
      whenNotSubmitted: counts(false, no),
    };
  });
  const buckets = (
    [
      [0, 6],
      [7, 15],
      [16, 30],
      [31, 40],
    ] as const
  ).map(([from, to]) => {
    const own = rows.flatMap((row) => (row.method === 'oec' && row.result ? row.result : []));
    const drawn = own.filter(({ handOver: { sampled } }) => sampled !== null && sampled >= from && sampled <= to);
    const over = drawn.filter(({ turns }) => turns.expert > 0);
    const resolved = over.filter((each) => each.resolved).length;
    return {
      method: 'oec',
      from,
      to,
      drawn: drawn.length,
      handedOver: over.length,
      submittedBeforeSwitch: drawn.filter(({ turns, status }) => turns.expert === 0 && status === 'submitted').length,
      resolved,
      resolveRate: over.length === 0 ? null : { value: resolved / over.length, ...wilson(resolved, over.length) },
    };
  });
  return {
    id: 'failures/demo',
    folder: '/home/you/.pointsman/analyses/failures-demo',
    judge: 'judge-model',
    table,
    buckets,
    notGraded: 0,
    notJudged: 3,
    failures: { sha256: digest('failures'), bytes: 1 },
    files: [],
    cost: { usd: 2.31, tokens: 1_400_000 },
  };
}

function sampleSetups(): ReportMaterial['setups'] {
  const sources = [
    'pypi:toolz@1.0.0',
    'pypi:yamllint@1.35.1',
    'pypi:inflection@0.5.1',
    'npm:left-pad@1.3.0',
    'pypi:celery@5.4.0',
    'git+https://example.org/very/long/name/of/a/repository/that/wraps.git#4f2a',
  ];
  return sources.flatMap((source, at) =>
    (['off', 'learn'] as const).map((mode) => {
      const good = mode === 'learn' ? at < 5 : at < 2;
      return run('repoSetup', sampleSetup(`compare/demo/${mode}/${source}/1`, source, good, mode === 'learn', at), {
        source,
        experience: { mode },
      });
    }),
  );
}

function sampleSetup(id: string, source: string, good: boolean, learns: boolean, at: number): RepoSetupResult {
  const nothing = { usd: 0.12 + at * 0.03, tokens: 60_000 + at * 9_000 };
  const tests = {
    collected: 120 + at * 31,
    passed: good ? 120 + at * 31 : 40,
    failed: good ? 0 : 80,
    skipped: 0,
    errors: 0,
  };
  const ref = { sha256: digest(id), bytes: 10 };
  const evidence = { command: 'pytest', exitCode: 0, timedOut: false, output: ref, preview: '' };
  return {
    id,
    status: good || at < 4 ? 'verified' : 'gave_up',
    source,
    sha256: digest(source),
    licence: 'MIT',
    selfClaim: at < 5,
    verifier: {
      success: good || at < 4,
      framework: 'pytest',
      counts: tests,
      evidence,
      failures: [],
      smoke: false,
      hint: '',
      head: digest('v'),
    },
    verdict:
      at === 5 && !good
        ? null
        : {
            verdict: good ? 'not_guilty' : 'guilty',
            charges: [],
            findings: [],
            heads: { prosecutor: digest('p'), judge: digest('j') },
            cost: { usd: 0, tokens: 0 },
          },
    tests,
    steps: 9 + at * 3,
    formatRetries: 0,
    rollbacks: at % 3,
    units: learns
      ? [{ turn: 3, unit: 'u-1', command: 'pip install', before: '', after: '', outcome: 'success', kept: true }]
      : [],
    learned: [],
    frames: [],
    services: [],
    image: good ? `pointsman/env:${at}` : null,
    workdir: '/repo',
    dockerfile: null,
    script: null,
    lock: null,
    testCommand: 'pytest',
    reproduced: good,
    cost: nothing,
    seconds: 240 + at * 95,
    head: digest(`${id} head`),
    notes: [],
  };
}

function sampleBuild(): FunctionProblemsResult {
  const ref = { sha256: digest('build'), bytes: 10 };
  return {
    id: 'problems/toolz',
    environment: {
      image: 'pointsman/env:toolz',
      workdir: '/repo',
      source: 'pypi:toolz@1.0.0',
      licence: 'BSD-3-Clause',
    },
    functions: 214,
    funnel: [
      { rule: 'is_test', left: 150, rejected: 64 },
      { rule: 'no_docstring', left: 112, rejected: 38 },
      { rule: 'too_short', left: 71, rejected: 41 },
      { rule: 'max_functions', left: 71, rejected: 0 },
    ],
    tried: 71,
    admitted: 43,
    instances: ref,
    rejected: ref,
    rows: ref,
    report: ref,
    cost: { usd: 0.41, tokens: 90_000 },
  };
}

const BUILD_REPORT = `# Function problems

## Functions

| functions            | count | share   |
| -------------------- | ----: | ------: |
| admitted as problems |    43 |  20.1 % |
| all                  |   214 | 100.0 % |

## Problems

|                        |  value |
| ---------------------- | -----: |
| problems               |     43 |
| lines of code, mean    |   14.2 |
| branch coverage, mean  | 93.1 % |
| mutation score, mean   | 81.4 % |

## Harnesses

Harnesses that were tried, the share that is valid.

| author                 | context | mode        | in-file |  valid | coverage | out-file |  valid | coverage | repairs |
| ---------------------- | ------- | ----------- | ------: | -----: | -------: | -------: | -----: | -------: | ------: |
| builtin:hypothesis     | sliced  | equivalence |      31 | 61.3 % |   91.0 % |       12 | 50.0 % |   88.2 % |     0.0 |
| builtin:recorded-calls | sliced  | equivalence |      50 | 72.0 % |   89.4 % |       21 | 66.7 % |   86.0 % |     0.0 |
| all                    |         |             |      81 | 67.9 % |   90.0 % |       33 | 60.6 % |   86.6 % |     0.0 |

## Failures

| author                 | context | mode        | valid | flaky | no cases | all |
| ---------------------- | ------- | ----------- | ----: | ----: | -------: | --: |
| builtin:hypothesis     | sliced  | equivalence |    25 |     4 |       14 |  43 |
| builtin:recorded-calls | sliced  | equivalence |    50 |     9 |       12 |  71 |
| all                    |         |             |    75 |    13 |       26 | 114 |
`;

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
