import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReader } from '../../src/activities/setup/chain';
import type { VerifierMove } from '../../src/contract';
import { readCounts } from '../../src/setup/test-output';
import { FileBlobs } from '../../src/store/local/blobs';
import { SetupChains } from '../../src/store/setup-chains';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'setup-chain-'));
});
afterEach(() => rmSync(root, { recursive: true }));

test('a verifier reads all that its tests printed, so that a rebuilt environment counts the same', async () => {
  const tests = Array.from({ length: 5000 }, (_, n) => `=== RUN   TestNumber${n}\n--- PASS: TestNumber${n} (0.00s)`);
  const output = `${tests.join('\n')}\nPASS\nok  \texample.com/m\t1.0s\n`;
  const blobs = new FileBlobs(root);
  const setupChains = new SetupChains(blobs);
  const text = await blobs.put(output);
  const command = 'go test -v ./...';
  const chainOf = async (role: 'verifier' | 'agent', move: Record<string, unknown>) =>
    setupChains.append({
      kind: 'setup-step',
      parent: await setupChains.open({ kind: 'setup-opening', role, source: 'dir:x', given: await blobs.put('{}') }),
      turn: {
        ...{ kind: 'setup-turn', turn: 1, role, policy: 'builtin:rules', model: null, move, reply: null, rejected: [] },
        usage: { promptTokens: 0, cachedTokens: 0, completionTokens: 0, costUsd: 0 },
      },
      observation: { text, exitCode: 0, timedOutAfter: null, elidedBytes: 0 },
      ...{ notes: [], undoes: [] },
    });
  const reader = createReader({ blobs, setupChains });
  const head = await chainOf('verifier', { move: 'run_tests', thought: '', command, framework: 'go' });
  const [read] = await reader.movesAt<VerifierMove>(head);
  expect(readCounts(command, read!.observed.output)?.counts.passed).toBe(5000);
  // What the agent saw is told to others, and whole logs are more than is needed for that.
  const [told] = await reader.actions(await chainOf('agent', { action: 'shell', thought: '', command }));
  expect(told!.observed.output.length).toBeLessThan(output.length);
});
