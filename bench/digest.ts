import { randomBytes, randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { SandboxProfile } from '../src/contract';
import { BASE_IMAGE } from '../src/machine/image';
import { openSandboxes } from '../src/sandbox';
import type { Journal } from '../src/sandbox/sandbox';
import { median } from './steps';

const TREE = '/root/tree';
const CHANGED = 10;

/**
 * What the digest of a work directory takes of which ten files changed since the last one, beside asking each file whether
 * it changed, and beside a command that does nothing. `npm run bench digest [40000 files] [12 rounds]`.
 */
export async function benchDigest([files = '40000', rounds = '12']: string[]): Promise<void> {
  const sandboxes = openSandboxes('bench', randomBytes(32));
  const owner = { workflowId: `bench/digest/${randomUUID()}`, firstRunId: randomUUID() };
  const profile = SandboxProfile.parse({ memoryMiB: 2_048 });
  const claimed = { owner, role: 'main', image: BASE_IMAGE, workdir: '/root', profile } as const;
  try {
    const sandbox = await sandboxes.claim(claimed);
    await sandbox.journal((journal) => measure(journal, Number(files), Number(rounds)));
  } finally {
    await sandboxes.removeAll(owner.firstRunId);
  }
}

async function measure(journal: Journal, files: number, rounds: number): Promise<void> {
  let jobs = 0;
  const run = async (command: string) => {
    const { exitCode, output } = await journal.run({ id: `job-${++jobs}`, after: '*', command, timeoutMs: 300_000 });
    if (exitCode !== 0) throw new Error(`${command}: exit ${exitCode}: ${output}`);
  };
  await run(
    `mkdir ${TREE} && cd ${TREE} && git init -q && python3 -c "
import os
for n in range(${files}):
    os.makedirs(f'd{n // 100}', exist_ok=True)
    open(f'd{n // 100}/f{n % 100}.py', 'w').write(f'def f():\\n    return {n}\\n')
" && git add -A && git -c user.name=b -c user.email=b@localhost commit -qm all`,
  );
  await journal.digest(TREE);
  const took: Record<string, number[]> = { 'the digest': [], 'asking each file (`git diff-files`)': [], '`true`': [] };
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    took[name]!.push(performance.now() - began);
  };
  for (let round = 0; round < rounds; round++) {
    const step = Math.floor(files / CHANGED);
    await run(
      `for n in $(seq 0 ${step} $((${files} - 1))); do echo "# ${round}" >> ${TREE}/d$((n / 100))/f$((n % 100)).py; done`,
    );
    await timed('the digest', () => journal.digest(TREE));
    await timed('asking each file (`git diff-files`)', () => run(`git -C ${TREE} diff-files > /dev/null`));
    await timed('`true`', () => run('true'));
  }
  console.log(`${files} files, ${CHANGED} changed before each; ${rounds} rounds, load ${loadavg()[0]!.toFixed(2)}\n`);
  console.log('| | min (ms) | p50 (ms) |\n|---|--:|--:|');
  for (const [name, all] of Object.entries(took)) {
    console.log(`| ${name} | ${Math.min(...all).toFixed(0)} | ${median(all).toFixed(0)} |`);
  }
}
