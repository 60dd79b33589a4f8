import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import Docker from 'dockerode';
import type { CampaignProgress, RolloutInput, RolloutProgress } from '../../src/contract';
import { BASE_IMAGE } from '../../src/machine/image';
import { AFTER, BEFORE, shopInput, writeTree } from '../security/shop';
import { calcScript, writeCalc } from '../support/calc-project';
import { containerOf, pastTurn } from '../support/chaos';
import { textkitSolver } from '../support/solvers';
import { TEXTKIT_IMAGE, textkitJsonl } from '../support/textkit';
import { tinyProblem } from '../support/tiny-problem';
import type { World } from '../support/world';
import { analysisScenarios, continuedAnalyses } from './analysis-scenarios';
import { datasetSources } from './dataset-sources';

const bash = (command: string) => ({ thought: command, tool: 'bash', args: { command } });
const fix = { command: 'str_replace', path: '/testbed/src/calc.py', old_str: 'a - b', new_str: 'a + b' };

const PRICE = { input: 10, output: 20 };
export const script = {
  models: {
    student: {
      dialect: 'xml',
      turns: ['ls', 'pwd', 'cat README.md', 'echo 4', 'echo 5', 'echo 6', 'echo 7'].map(bash),
      end: 'submit',
      latencyMs: 40,
    },
    expert: {
      position: 'match',
      turns: [bash('cat src/calc.py'), { thought: 'Fix.', tool: 'str_replace_editor', args: fix }],
      end: 'submit',
    },
    slow: { turns: [], generate: { steps: 40, command: 'sleep 0.2; echo {k}' } },
    mixed: { turns: [bash('ls'), { malformed: 'prose' }, bash('sleep 1.5'), bash('pwd')], end: 'submit' },
    prose: { turns: [bash('ls')], end: { malformed: 'prose' } },
    closed: { turns: [bash('ls')], faults: [{ kind: 'rejected', status: 401, message: 'no' }] },
    ...calcScript.models,
    answerer: textkitSolver,
  },
};
export const profiles = {
  student: { view: { dialect: 'xml' } },
  expert: {},
  slow: { price: PRICE, maxOutputTokens: 100 },
  mixed: {},
  prose: {},
  closed: {},
  careful: {},
  curious: {},
  direct: {},
  hasty: {},
  garbled: {},
  answerer: {},
  ann: { provider: 'person', baseUrl: undefined, model: undefined },
};

export interface Scenario {
  /** `type-what`, also the fixture's name and the workflow's id. */
  readonly name: string;
  readonly type: string;
  /** `world` is where it will run, for what must be in its home before. */
  input(world: World): Promise<unknown>;
  /** What is done to the run while it runs. */
  during?(handle: WorkflowHandle, world: World): Promise<unknown>;
}

const rollout = (what: string, more: Partial<RolloutInput> | object = {}, during?: Scenario['during']): Scenario => ({
  name: `rollout-${what}`,
  type: 'rollout',
  input: async () => ({
    problem: await tinyProblem(),
    student: 'student',
    handOver: { never: true },
    grade: false,
    ...more,
  }),
  ...(during ? { during } : {}),
});
/** The turn that waits for a person, once one does. */
async function awaitedTurn(handle: WorkflowHandle): Promise<number> {
  for (;;) {
    const { awaiting } = await handle.query<RolloutProgress>('progress');
    if (awaiting) return awaiting.turn;
    await sleep(50);
  }
}

/** Makes turns that wait for a person, each as soon as it waits, after a malformed one; each is sent twice at once. */
async function actByHand(handle: WorkflowHandle, commands: readonly string[]): Promise<void> {
  const act = (turn: number, tool: string, args: object) =>
    handle.executeUpdate<unknown, [object]>('act', { args: [{ turn, by: 'Ann', tool, args }] });
  await act(await awaitedTurn(handle), 'bash', {}).catch(() => {});
  for (const command of [...commands, 'submit']) {
    const [tool, args] = command === 'submit' ? ['submit', {}] : ['bash', { command }];
    for (let made = false; !made; ) {
      const turn = await awaitedTurn(handle);
      const sent = await Promise.allSettled([act(turn, tool, args), act(turn, tool, args)]);
      made = sent.some(({ status }) => status === 'fulfilled');
    }
  }
}

const other = (name: string, input: (problem: unknown) => object, during?: Scenario['during']): Scenario => ({
  name,
  type: name.split('-')[0]!,
  input: async () => input(await tinyProblem()),
  ...(during ? { during } : {}),
});
/** Two versions of a small project, in folders that stay for the worker to read. */
const shop = () => {
  const folder = mkdtempSync(join(tmpdir(), 'pointsman-test-shop-'));
  for (const [name, files] of Object.entries({ before: BEFORE, after: AFTER })) writeTree(join(folder, name), files);
  return shopInput(join(folder, 'before'), join(folder, 'after'));
};
const calc = () => ({ source: `dir:${writeCalc()}` });
/** An evaluation of the small package's problems, in a file that stays for the worker to read. */
const evaluation = (what: string, more: object, during?: Scenario['during']): Scenario => ({
  name: `evaluation-${what}`,
  type: 'evaluation',
  input: async () => {
    const problems = join(mkdtempSync(join(tmpdir(), 'pointsman-test-problems-')), 'problems.jsonl');
    writeFileSync(problems, await textkitJsonl());
    return { problems, solver: 'builtin:oracle', samples: 2, secondsPerCase: 2, ...more };
  },
  ...(during ? { during } : {}),
});
/** A build of one function of the small package; its child is recorded too. */
const functionProblems = (what: string, more: object, during?: Scenario['during']): Scenario => ({
  name: `functionProblems-${what}`,
  type: 'functionProblems',
  input: async () => {
    await textkitJsonl();
    const environment = { image: TEXTKIT_IMAGE, workdir: '/repo' };
    const only = ['textkit.words.camelize'];
    return { environment, only, attempts: [{ author: 'builtin:hypothesis' }], mutantsPerFunction: 3, ...more };
  },
  ...(during ? { during } : {}),
});
/** A campaign of two methods over the small problem. Its rollouts are scenarios of their own. */
const campaign = (what: string, more: object, during?: Scenario['during']): Scenario => ({
  name: `campaign-${what}`,
  type: 'campaign',
  input: async () => ({
    problems: [await tinyProblem()],
    methods: [
      { name: 'on-policy', student: 'student', handOver: { never: true } },
      { name: 'oec', student: 'student', expert: 'expert', handOver: { at: 2 } },
    ],
    ...more,
  }),
  ...(during ? { during } : {}),
});
const cancelSoon = async (handle: WorkflowHandle) => {
  await sleep(700);
  await handle.cancel();
};

const SLOW = { name: 'slow', student: 'slow', handOver: { never: true } };
/** Until something other than a person keeps the campaign from beginning more. */
const waitingOf = async (handle: WorkflowHandle) => {
  while (!(await handle.query<CampaignProgress>('progress').catch(() => undefined))?.waiting) await sleep(200);
};

/** Every workflow type in every way that it can end or turn. Those of `crossing` are recorded on a server that suggests continue-as-new early. */
export const scenarios: readonly Scenario[] = [
  rollout('ok', { grade: true }),
  rollout('hand-over', { expert: 'expert', handOver: { at: 2 } }),
  rollout('beta', { expert: 'expert', handOver: { beta: { initial: 0.5, decay: 0.9 } }, seed: 3 }),
  rollout('cancelled', { student: 'slow' }, async (handle) => {
    await pastTurn(handle, 2);
    await handle.cancel();
  }),
  rollout('limits', { limits: { steps: 3 } }),
  rollout('budget', { student: 'slow', budget: { name: 'small', capUsd: 0.06 } }),
  rollout('rebuild', { student: 'slow', limits: { steps: 8 }, sandbox: { checkpointEvery: 2 } }, async (handle) => {
    await pastTurn(handle, 4);
    await new Docker().getContainer(await containerOf(handle)).remove({ force: true });
  }),
  rollout('steered', { student: 'slow', expert: 'expert' }, async (handle) => {
    await pastTurn(handle, 1);
    await handle.executeUpdate('pause');
    await handle.executeUpdate('setBudget', { args: [{ steps: 30 }] });
    await handle.executeUpdate('handOver');
    await sleep(400);
    await handle.executeUpdate('resume');
  }),
  rollout('person', { expert: 'ann', handOver: { at: 2 } }, async (handle) => {
    await awaitedTurn(handle);
    await handle.executeUpdate('pause');
    await handle.executeUpdate('resume');
    await handle.executeUpdate('setBudget', { args: [{ steps: 30 }] });
    await actByHand(handle, ['cat src/calc.py']);
  }),
  rollout('person-cancelled', { expert: 'ann', handOver: { at: 0 } }, async (handle) => {
    await awaitedTurn(handle);
    await handle.cancel();
  }),
  rollout('person-handed-over', { student: 'ann', expert: 'expert', handOver: { at: 9 } }, async (handle) => {
    await awaitedTurn(handle);
    await handle.executeUpdate('handOver');
  }),
  rollout('format-exhausted', { student: 'prose' }),
  rollout('rejected', { student: 'closed' }),
  rollout('fork', { expert: 'expert', handOver: { at: 0 }, fork: { run: 'rollout-ok', step: 3 } }),
  // The scenarios above were recorded when each turn was two activities: record those anew under names of their own.
  rollout('in-one', { student: 'mixed', expert: 'expert', handOver: { at: 3 }, limits: { steps: 6 } }),
  rollout('in-one-rebuild', { student: 'slow', limits: { steps: 8 } }, async (handle) => {
    await pastTurn(handle, 4);
    await new Docker().getContainer(await containerOf(handle)).remove({ force: true });
  }),
  // As they are since a sandbox goes beside the verdict.
  rollout('removed-beside', { grade: true }),
  rollout('removed-beside-cancelled', { grade: true }, async (handle) => {
    while ((await handle.query<RolloutProgress>('progress')).phase !== 'Grading') await sleep(20);
    await handle.cancel();
  }),
  rollout('in-one-cancelled', { student: 'slow' }, async (handle) => {
    await pastTurn(handle, 2);
    await handle.cancel();
  }),
  rollout('bad-input', { limits: { steps: -1 } }),
  other('grade-ok', (problem) => ({ problem, patch: '' })),
  other(
    'grade-cancelled',
    (problem) => ({
      problem: {
        ...(problem as object),
        tests: { command: 'sleep 60', parser: { kind: 'pytest' }, failToPass: ['t::a'], passToPass: [] },
      },
      patch: '',
    }),
    cancelSoon,
  ),
  other('problemCheck-ok', (problem) => ({ problem: { ...(problem as object), goldPatch: '' } })),
  other('problemCheck-cancelled', (problem) => ({ problem: { ...(problem as object), goldPatch: '' } }), cancelSoon),
  other('problemInit-failed', () => ({
    before: 'dir:/no/such/before',
    after: 'dir:/no/such/after',
    statement: 's',
    test: 'true',
  })),
  other('problemInit-ok', shop),
  other('problemInit-cancelled', () => ({ ...shop(), id: 'never', statement: 's', setup: ['sleep 60'] }), cancelSoon),
  other('janitor-ok', () => ({ hosts: ['replay'], olderThanSeconds: 3600 })),
  // The units of the agent's script are not in the store: each try is refused, which the loop has to survive as well.
  other('repoSetup-gave-up', () => ({ ...calc(), roles: { agent: 'hasty' } })),
  other('repoSetup-rolled-back', () => ({ ...calc(), roles: { agent: 'curious' }, judge: false })),
  other('repoSetup-limits', () => ({ ...calc(), roles: { agent: 'careful' }, limits: { steps: 10 } })),
  other('repoSetup-verified', () => ({ ...calc(), roles: { agent: 'direct' }, reproduce: true })),
  other('repoSetup-format-exhausted', () => ({ ...calc(), roles: { agent: 'garbled' } })),
  other(
    'repoSetup-cancelled',
    () => ({ ...calc(), roles: { agent: 'careful' } }),
    async (handle) => {
      await sleep(4_000);
      await handle.cancel();
    },
  ),
  other('repoSetup-bad-input', () => ({ source: 'pypi:no-version' })),
  other('setupVerdict-guilty', () => ({ ...calc(), image: BASE_IMAGE })),
  evaluation('repaired', { solver: 'answerer', samples: 1, repairs: 3 }),
  evaluation('steered', { concurrency: 1 }, async (handle) => {
    await handle.executeUpdate('pause');
    await handle.executeUpdate('setConcurrency', { args: [{ concurrency: 3 }] });
    await sleep(400);
    await handle.executeUpdate('resume');
    await sleep(4_000);
    await handle.executeUpdate('abandon');
  }),
  evaluation('cancelled', { samples: 50 }, async (handle) => {
    await sleep(8_000);
    await handle.cancel();
  }),
  evaluation('bad-input', { k: [3] }),
  functionProblems('built', {}),
  functionProblems('cancelled', {}, async (handle) => {
    await sleep(5_000);
    await handle.cancel();
  }),
  functionProblems('not-defined', { only: ['textkit.words.nothing'] }),
  campaign('complete', { passes: 2, resolvedPerInstance: 1, tenant: { key: 'lab' } }),
  campaign('steered', { passes: 9, concurrency: 1 }, async (handle) => {
    await handle.executeUpdate('pause');
    await handle.executeUpdate('setConcurrency', { args: [{ concurrency: 2 }] });
    await handle.executeUpdate('setRate', { args: [{ startsPerMinute: 30 }] });
    await sleep(400);
    await handle.executeUpdate('resume');
    await sleep(7_000);
    await handle.executeUpdate('setRate', { args: [{ startsPerMinute: null }] });
    await handle.executeUpdate('abandon');
  }),
  campaign('day', { methods: [SLOW], passes: 3, concurrency: 1, budget: { dailyUsd: 0.000_01 } }, async (handle) => {
    await waitingOf(handle);
    await handle.executeUpdate('setBudget', { args: [{ dailyUsd: null }] });
  }),
  campaign('budget', { methods: [SLOW], passes: 3, concurrency: 1, budget: { totalUsd: 0.06 } }),
  campaign('cancelled', { methods: [SLOW], passes: 4, concurrency: 2 }, async (handle) => {
    await sleep(4_000);
    await handle.cancel();
  }),
  campaign('taken', { methods: [SLOW], passes: 2, concurrency: 1 }, async (_, world) => {
    // Somebody has a rollout of the second one's id already.
    const input = { problem: await tinyProblem(), student: 'student', handOver: { never: true }, grade: false };
    await world.begin('rollout', input, 'campaign-taken/slow/tiny/1');
  }),
  campaign('bad-input', { passes: 0 }),
  campaign('no-problem', { only: ['nothing'] }),
  other('dataset-made', () => ({ name: 'replay', ...datasetSources(), validation: 0.2 })),
  other(
    'dataset-cancelled',
    () => ({ name: 'cancelled', ...datasetSources() }),
    async (handle) => {
      await sleep(300);
      await handle.cancel();
    },
  ),
  other('dataset-not-found', () => ({ name: 'replay', sources: [{ campaign: 'none' }] })),
  other('dataset-bad-input', () => ({ name: 'No Name' })),
  other('report-made', () => ({ name: 'replay' })),
  other('report-not-found', () => ({ name: 'replay', dataset: 'dataset/none' })),
  other('report-bad-input', () => ({ name: 'No Name' })),
  ...analysisScenarios,
  other('pipeline-whole', (problem) => ({
    name: 'replay',
    problems: [problem],
    campaign: { methods: [{ name: 'bc', expert: 'expert', handOver: { at: 0 } }] },
    dataset: { view: 'student', filters: { resolved: false }, formats: ['universal'] },
    failureAnalysis: {},
  })),
  other('pipeline-stuck', () => ({
    name: 'replay',
    repositories: [{ source: 'dir:/there/is/none' }],
    campaign: { methods: [{ name: 'bc', expert: 'expert', handOver: { at: 0 } }] },
  })),
  other('pipeline-bad-input', () => ({ name: 'No Name' })),
  other('unknown-type', () => ({})),
];
export const crossing: readonly Scenario[] = [
  rollout('continued', { student: 'slow', expert: 'expert', handOver: { at: 8 }, sandbox: { checkpointEvery: 3 } }),
  rollout('person-continued', { expert: 'ann', handOver: { at: 0 } }, (handle) =>
    actByHand(
      handle,
      [...Array(24).keys()].map((k) => `echo ${k}`),
    ),
  ),
  evaluation('continued', { samples: 6 }),
  campaign('continued', { passes: 6, concurrency: 3 }),
  ...continuedAnalyses,
];
