import { type Author, RolloutResult, type Step, type Turn } from '../../src/contract';
import { FileBlobs } from '../../src/store/local/blobs';
import { Transcripts } from '../../src/store/transcripts';

type Written = Pick<Turn, 'thought' | 'action'> & {
  readonly author: Author;
  readonly output: string;
  readonly exitCode?: number | null;
  readonly rejected?: Turn['rejected'];
};

const LONG = Array.from({ length: 200 }, (_, line) => `line ${line + 1} of the listing`).join('\n');

/** Two turns of a student who is lost, two of an expert who is not; output that would take a terminal over. */
const TURNS: readonly Written[] = [
  { author: 'student', thought: 'I look around.', action: { tool: 'bash', args: { command: 'ls -R' } }, output: LONG },
  {
    author: 'student',
    thought: 'The tests will tell.',
    action: { tool: 'bash', args: { command: 'python -m pytest -q\necho done' } },
    output: '\u001b[31mFAILED\u001b[0m a\ttab\r\n\u001b]0;owned\u0007\u001b[2Jgone\u202e',
    exitCode: 1,
    rejected: [
      {
        reply: { content: 'no action here', toolCalls: [] },
        error: { code: 'missing_action', observation: 'There was no action.' },
      },
    ],
  },
  {
    author: 'expert',
    thought: 'The pattern is a list; it has to be joined.',
    action: {
      tool: 'str_replace_editor',
      args: { command: 'str_replace', path: '/repo/a.py', old_str: 'old line', new_str: 'new line' },
    },
    output: 'The file was edited.',
    exitCode: null,
  },
  { author: 'expert', thought: '', action: { tool: 'submit', args: {} }, output: '', exitCode: null },
];

export const PATCH = 'diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old line\n+new line\n';

/** Writes the chain into a store, link by link as the activities do. */
export async function writeChain(root: string): Promise<{ head: string; result: RolloutResult }> {
  const blobs = new FileBlobs(root);
  const transcripts = new Transcripts(blobs);
  let head = await transcripts.open({ kind: 'opening', problemId: 'sample', statement: 'Mend it.', workdir: '/repo' });
  for (const [at, { author, thought, action, output, exitCode = 0, rejected = [] }] of TURNS.entries()) {
    const step: Step = {
      kind: 'step',
      parent: head,
      turn: {
        kind: 'turn',
        turn: at + 1,
        author,
        profile: `${author}-profile`,
        model: author,
        dialect: 'tools',
        reply: { content: thought, toolCalls: [] },
        thought,
        action,
        rejected,
        usage: { promptTokens: 1200, cachedTokens: 0, completionTokens: 34, costUsd: 0.0125 },
      },
      observation: { text: await blobs.put(output), exitCode, timedOutAfter: null, elidedBytes: 0 },
      workspace: null,
      job: `job-${at + 1}`,
    };
    head = await transcripts.append(step);
  }
  const result: RolloutResult = RolloutResult.parse({
    id: 'rollout/sample/0-abc',
    status: 'submitted',
    resolved: false,
    handOver: { sampled: 2, expertFrom: 3 },
    turns: { total: 4, student: 2, expert: 2, formatRetries: 1 },
    cost: { usd: 0.05, tokens: 4936 },
    head,
    patch: await blobs.put(PATCH),
    workspace: null,
    grade: {
      resolved: false,
      verdict: 'graded',
      failToPass: { passed: 1, total: 2, missing: ['tests/test_a.py::test_two'] },
      passToPass: { passed: 120, total: 120, missing: [] },
      controls: null,
      suspicion: [],
      leftOut: [{ path: 'tests/test_a.py', kind: 'hidden_test', why: 'is a test file of the problem' }],
      runs: [],
      outcomes: await blobs.put('{}'),
      log: await blobs.put(''),
      seconds: 3.2,
    },
    recovered: { sandboxes: 1, redoneSteps: 2 },
  });
  return { head, result };
}
