import { RepoSetupResult, type SetupRole, type SetupStep } from '../../src/contract';
import { FileBlobs } from '../../src/store/local/blobs';
import { SetupChains } from '../../src/store/setup-chains';

interface Written {
  readonly move: Record<string, unknown>;
  readonly output: string;
  readonly exitCode?: number | null;
  readonly notes?: readonly string[];
  readonly undoes?: readonly number[];
}

const LONG = Array.from({ length: 200 }, (_, line) => `line ${line + 1} of the log`).join('\n');
/** Colours, a window title, a cleared screen, a mark that turns text round. */
export const HOSTILE = '\u001b[31mFAILED\u001b[0m a\ttab\r\n\u001b]0;owned\u0007\u001b[2Jgone\u202e';

const AGENT: readonly Written[] = [
  { move: { action: 'shell', thought: 'I install it.', command: 'pip install -e .' }, output: LONG, exitCode: 1 },
  {
    move: { action: 'shell', command: 'apt-get install -y gcc' },
    output: HOSTILE,
    notes: ['frame 1 before it (system-packages)'],
  },
  {
    move: { action: 'try_experience', unit: 'xpu-headers', command: 'apt-get install -y libpq-dev', why: 'pg_config' },
    output: 'done',
    notes: ['frame 2 before it', 'xpu-headers: failure, rolled back'],
  },
  { move: { action: 'rollback', frames: 1 }, output: 'back', undoes: [2] },
  { move: { action: 'set_env', key: 'MODE', value: 'test' }, output: 'MODE=test' },
  { move: { action: 'start_service', service: { name: 'redis', port: 6379 } }, output: 'redis is ready' },
  { move: { action: 'verify', hint: 'pytest' }, output: 'The verifier says yes' },
];

const VERIFIER: readonly Written[] = [
  { move: { move: 'run_tests', command: 'python -m pytest -q', framework: 'pytest' }, output: '3 passed' },
  { move: { move: 'conclude', success: true, hint: '' }, output: '' },
];

const PROSECUTOR: readonly Written[] = [
  {
    move: { move: 'charge', kind: 'dependency', claim: 'six is not there', declared: 'setup.cfg:9', command: 'false' },
    output: 'no six',
    exitCode: 1,
  },
  { move: { move: 'rest', summary: 'That is all.' }, output: '' },
];

const JUDGE: readonly Written[] = [
  {
    move: { move: 'find', charge: 1, upheld: false, ground: 'optional_extra', why: 'an extra' },
    output: '',
  },
];

/** Writes the chains of all four roles into a store, link by link as the activities do, with a result that names them. */
export async function writeSetup(root: string): Promise<{ heads: Record<SetupRole, string>; result: RepoSetupResult }> {
  const blobs = new FileBlobs(root);
  const chains = new SetupChains(blobs);
  const write = async (role: SetupRole, moves: readonly Written[]) => {
    let head = await chains.open({ kind: 'setup-opening', role, source: 'dir:/src/toy', given: await blobs.put('{}') });
    for (const [at, { move, output, exitCode = 0, notes = [], undoes = [] }] of moves.entries()) {
      const step: SetupStep = {
        kind: 'setup-step',
        parent: head,
        turn: {
          ...{ kind: 'setup-turn', turn: at + 1, role, policy: role === 'agent' ? 'my-model' : 'builtin:rules' },
          ...{ model: null, move, reply: null },
          rejected:
            at === 0 && role === 'agent'
              ? [
                  {
                    reply: { content: 'no action here', toolCalls: [] },
                    error: { code: 'missing_action', observation: 'There was no action.' },
                  },
                ]
              : [],
          usage: { promptTokens: 100, cachedTokens: 0, completionTokens: 20, costUsd: 0.01 },
        },
        observation: { text: await blobs.put(output), exitCode, timedOutAfter: null, elidedBytes: 0 },
        notes: [...notes],
        undoes: [...undoes],
      };
      head = await chains.append(step);
    }
    return head;
  };
  const heads = {
    agent: await write('agent', AGENT),
    verifier: await write('verifier', VERIFIER),
    prosecutor: await write('prosecutor', PROSECUTOR),
    judge: await write('judge', JUDGE),
  };
  const evidence = {
    ...{ command: 'python -m pytest -q', exitCode: 0, timedOut: false },
    ...{ output: await blobs.put('3 passed'), preview: `3 passed\n${HOSTILE}` },
  };
  const counts = { collected: 4, passed: 3, failed: 1, skipped: 0, errors: 0 };
  const frame = (
    index: number,
    parent: number | null,
    label: string,
    turn: number,
    droppedAt: number | null = null,
  ) => ({
    ...{ index, parent, label, turn, mib: index * 12.5, seconds: 1.5, droppedAt },
    rules: turn === 2 ? ['system-packages'] : [],
  });
  const result = RepoSetupResult.parse({
    ...{ id: 'setup/toy-1', status: 'verified', source: 'dir:/src/toy', sha256: 'a'.repeat(64), licence: 'MIT' },
    selfClaim: true,
    verifier: {
      ...{ success: true, framework: 'pytest', counts, evidence, smoke: false, hint: '', head: heads.verifier },
      failures: [{ test: 'test_net', class: 'external_service', why: `no network ${HOSTILE}` }],
    },
    verdict: {
      verdict: 'guilty',
      charges: [
        { id: 1, kind: 'dependency', claim: 'six is not there', declared: 'setup.cfg:9', evidence },
        { id: 2, kind: 'entry_point', claim: `toy does not start ${HOSTILE}`, declared: '', evidence },
      ],
      findings: [
        { charge: 1, upheld: false, ground: 'optional_extra', why: 'an extra', evidence: [evidence] },
        { charge: 2, upheld: true, ground: 'reproduced', why: '', evidence: [] },
      ],
      heads: { prosecutor: heads.prosecutor, judge: heads.judge },
      cost: { usd: 0, tokens: 0 },
    },
    tests: counts,
    ...{ steps: 7, formatRetries: 1, rollbacks: 2 },
    units: [
      {
        ...{ turn: 3, unit: 'xpu-headers', command: 'apt-get install -y libpq-dev', outcome: 'failure', kept: false },
        before: 'pg_config executable not found',
        after: `fatal error ${HOSTILE}`,
      },
    ],
    learned: [{ unit: 'xpu-new', how: 'inserted' }],
    frames: [
      frame(0, null, 'base', 0),
      frame(1, 0, 'before turn 2', 2, 4),
      frame(2, 1, 'before xpu-headers', 3, 3),
      frame(3, 0, `before verify ${HOSTILE}`, 7),
    ],
    services: [{ name: 'redis', port: 6379, start: 'exec redis-server' }],
    image: 'pointsman/environment:toy',
    workdir: '/repo',
    dockerfile: await blobs.put('FROM pointsman/base:bookworm\n'),
    script: await blobs.put(`#!/bin/bash\n# ${HOSTILE}\n`),
    lock: null,
    testCommand: 'python -m pytest -q',
    reproduced: false,
    reproducedDetail: 'passed 3 before, 2 now',
    cost: { usd: 0.07, tokens: 840 },
    seconds: 125.5,
    head: heads.agent,
    notes: ['tests of its repository are not in the archive'],
  });
  return { heads, result };
}
