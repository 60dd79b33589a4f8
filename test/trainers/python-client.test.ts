import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '../../src/home';
import { Campaigns } from '../../src/store/campaigns';
import { entryName } from '../../src/store/entry-name';
import { FileBlobs } from '../../src/store/local/blobs';
import { fileDocuments } from '../../src/store/local/rows';
import { Transcripts } from '../../src/store/transcripts';
import { pythonWith, testWith } from './python';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-python-client-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAMES = ['oec-1', 'campaign/of the ümlaut (1)!', '.hidden', `long-${'x'.repeat(300)}`];
const DATASET = 'set/one';

/** A home as our own stores write it. Gives the head of its trajectory and the step before. */
async function written(home: string): Promise<{ head: string; before: string }> {
  const blobs = new FileBlobs(join(home, 'blobs'));
  const transcripts = new Transcripts(blobs);
  let head = await transcripts.open({ kind: 'opening', problemId: 'p', statement: 'Mend “it”.', workdir: '/repo' });
  let before = head;
  for (const [at, author] of (['student', 'expert'] as const).entries()) {
    before = head;
    head = await transcripts.append({
      kind: 'step',
      parent: head,
      workspace: null,
      job: `job-${at}`,
      observation: { text: await blobs.put(`output ${at}\n`), exitCode: at, timedOutAfter: null, elidedBytes: 0 },
      turn: {
        kind: 'turn',
        turn: at + 1,
        author,
        profile: 'mine',
        model: 'm',
        dialect: 'tools',
        reply: { content: 'x', toolCalls: [], finishReason: 'stop' },
        thought: 'think',
        action: { tool: 'bash', args: { command: 'ls' } },
        rejected: [],
        usage: { promptTokens: 3, completionTokens: 2, costUsd: 0.5 },
      } as never,
    });
  }
  const row = {
    id: 'r/1',
    instance: 'p',
    method: 'oec',
    pass: 0,
    student: 's',
    expert: null,
    seconds: 2.5,
    error: 'why',
  };
  const campaigns = new Campaigns(fileDocuments(home, 'campaigns'));
  for (const name of NAMES)
    await campaigns.write(name, `${JSON.stringify({ ...row, outcome: 'failed', result: null })}\n`);
  const set = join(home, 'datasets', entryName(DATASET));
  mkdirSync(set, { recursive: true });
  writeFileSync(join(set, 'manifest.json'), JSON.stringify({ files: [{ path: 'train.universal.jsonl' }] }));
  writeFileSync(join(set, 'train.universal.jsonl'), '{"id":"r/1","messages":[{"role":"user","content":"ü"}]}\n');
  writeFileSync(join(set, 'rows.jsonl'), `{"id":"r/1","head":"${head}"}\n`);
  writeFileSync(join(set, 'dropped.jsonl'), '{"id":"r/2","stage":"passed","reason":"tests_failed"}\n');
  return { head, before };
}

testWith(pythonWith('loaders'))(
  'the wheel reads what our stores wrote, as objects, pandas and datasets',
  async (python) => {
    const home = join(folder, 'home');
    const { head, before } = await written(home);
    const wheels = join(folder, 'wheels');
    const pip = (...args: string[]) => execFileSync('python3', ['-m', 'pip', '--quiet', ...args], { stdio: 'pipe' });
    // Built from a copy: setuptools leaves its folders beside the sources.
    execFileSync('cp', ['-r', join(REPOSITORY, 'packages', 'python-client'), join(folder, 'source')]);
    pip('wheel', '--no-deps', '--wheel-dir', wheels, join(folder, 'source'));
    const wheel = readdirSync(wheels).find((name) => name.endsWith('.whl'))!;
    expect(wheel).toBe('pointsman-0.1.0-py3-none-any.whl');
    pip('install', '--no-deps', '--target', join(folder, 'site'), join(wheels, wheel));

    const args = [join(folder, 'site'), home, NAMES[1]!, DATASET, head];
    const saw = python.run('python_client.py', ...args) as Record<string, unknown> & {
      missing: Record<string, string>;
    };
    expect(saw).toMatchObject({
      datasets: [DATASET],
      rollouts: [{ id: 'r/1', method: 'oec', outcome: 'failed', resolved: null, error: 'why', seconds: 2.5 }],
      statement: 'Mend “it”.',
      steps: [
        [1, 'student', 'bash', { command: 'ls' }, 'output 0\n', 0, 0.5, before],
        [2, 'expert', 'bash', { command: 'ls' }, 'output 1\n', 1, 0.5, head],
      ],
      frame: [2, 13],
      origins: [{ id: 'r/1', head }],
      dropped: [{ id: 'r/2', stage: 'passed', reason: 'tests_failed' }],
    });
    const row = { id: 'r/1', messages: [{ role: 'user', content: 'ü' }] };
    expect([saw.rows, saw.pandas, saw.datasets_rows]).toEqual([[row], [row], [row]]);
    expect((saw.campaigns as string[]).slice(0, 3)).toEqual([
      '.hidden',
      'campaign/of the ümlaut (1)!',
      expect.stringMatching(/^long-x+~/),
    ]);
    expect(saw.missing).toMatchObject({
      campaign: expect.stringContaining('did you mean'),
      blob: expect.stringContaining('is not in the store'),
      home: expect.stringContaining('give its path'),
      format: expect.stringContaining('it has train.universal.jsonl'),
    });
  },
);
