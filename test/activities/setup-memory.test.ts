import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { type AuditInput, createSetupMemoryActivities, type SuggestInput } from '../../src/activities/setup/memory';
import type { Ref, SetupAction } from '../../src/contract';
import type { Deps } from '../../src/deps';
import { evidenceOf } from '../../src/setup/experience';
import { BUILTIN_EMBEDDER } from '../../src/store/experience/embedder';
import { SqlExperience } from '../../src/store/experience/sql';
import { FileBlobs } from '../../src/store/local/blobs';
import { SetupChains } from '../../src/store/setup-chains';
import { PG_CONFIG } from '../store/experience/support/units';

let root: string;
let blobs: FileBlobs;
let setupChains: SetupChains;
let experience: SqlExperience;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'setup-memory-'));
  blobs = new FileBlobs(root);
  setupChains = new SetupChains(blobs);
  experience = SqlExperience.at((apart) => ({ folder: join(root, apart ?? 'own'), embed: BUILTIN_EMBEDDER }));
});
afterAll(async () => {
  await experience.close();
  rmSync(root, { recursive: true, force: true });
});

const ERROR = 'psycopg/connection.h:28:10: fatal error: libpq-fe.h: No such file or directory';
/** What pip prints of a failed build: the reason in the middle, thousands of characters from either end. */
const logOf = (error: string) =>
  [
    ...Array.from({ length: 55 }, (_, at) => `  copying lib/module_${at}.py -> build/lib.linux-x86_64/psycopg2`),
    error,
    ...Array.from({ length: 55 }, (_, at) => `  | see the log of the build for part ${at} of what was said here |`),
    'RuntimeError: the extension could not be built',
  ].join('\n');

const activities = () => createSetupMemoryActivities({ blobs, setupChains, experience } as unknown as Deps);
const run = async <I, O>(activity: (input: I) => Promise<O>, input: I): Promise<O> =>
  new MockActivityEnvironment().run(activity, input) as Promise<O>;

async function suggestInput(output: string): Promise<SuggestInput> {
  const survey = { paths: ['setup.py'], texts: {} };
  return {
    ...{ run: 'r', policy: 'builtin:rules', turn: 1, exclude: [], learn: false, most: 3 },
    lease: {} as SuggestInput['lease'],
    given: await blobs.put(
      JSON.stringify({ source: 'pypi:x==1.0', workdir: '/repo', survey: await blobs.put(JSON.stringify(survey)) }),
    ),
    command: await blobs.put('pip install .'),
    output: await blobs.put(output),
  };
}

/** The head of a chain of steps: an action, its exit code and what it printed. */
async function chainOf(
  steps: readonly [action: Partial<SetupAction>, exitCode: number, output: string, undoes?: number[]][],
) {
  let parent = await setupChains.open({
    ...{ kind: 'setup-opening', role: 'agent', source: 'dir:x' },
    given: await blobs.put('{}'),
  });
  for (const [at, [action, exitCode, output, undoes = []]] of steps.entries()) {
    parent = await setupChains.append({
      ...{ kind: 'setup-step', parent, notes: [], undoes },
      turn: {
        ...{ kind: 'setup-turn', turn: at + 1, role: 'agent', policy: 'p', model: null, reply: null, rejected: [] },
        move: { thought: '', ...action },
        usage: { promptTokens: 0, cachedTokens: 0, completionTokens: 0, costUsd: 0 },
      },
      observation: { text: await blobs.put(output), exitCode, timedOutAfter: null, elidedBytes: 0 },
    });
  }
  return parent;
}

async function auditInput(output: string, head: string): Promise<AuditInput> {
  const shown = [{ unit: 'pg-config', atoms: [], commands: ['apt-get install -y libpq-dev'], advice: ['Install it.'] }];
  const put = async (text: string): Promise<Ref> => blobs.put(text);
  return {
    ...{ run: 'r', policy: 'builtin:rules', head, trials: [] },
    anchor: {
      ...{ id: 'turn-1', turn: 1, units: await put(JSON.stringify(shown)) },
      ...{ command: await put('pip install .'), output: await put(output) },
    },
  };
}

test('a look-up reads the whole log: the reason may stand in its middle', async () => {
  const find = jest.spyOn(experience, 'find').mockResolvedValue([]);
  await run(activities().suggestUnits, await suggestInput(logOf(ERROR)));
  expect(logOf(ERROR).length).toBeGreaterThan(7_000);
  expect(evidenceOf(find.mock.calls[0]![0]).key).toContain('libpq-fe.h');
  find.mockRestore();
});

test('a run without the units of the package neither brings them in nor is shown them', async () => {
  const find = jest.spyOn(experience, 'find');
  const given = await suggestInput(logOf(ERROR));
  const { suggestions } = await run(activities().suggestUnits, { ...given, shipped: false });
  expect(suggestions).toBeNull();
  expect(find.mock.calls[0]![2]).toMatchObject({ shipped: false });
  expect(await find.mock.results[0]!.value).toEqual([]);
  find.mockRestore();
});

test('an audit compares the reasons of two whole logs', async () => {
  await experience.import([PG_CONFIG]);
  await experience.anchor({ run: 'r', anchor: 'turn-1', units: ['pg-config'] });
  const install = { action: 'shell', command: 'pip install .' } as const;
  const head = await chainOf([
    [install, 1, logOf(ERROR)],
    [{ action: 'shell', command: 'apt-get install -y libpq-dev' }, 0, ''],
    [install, 1, logOf("error: command 'gcc' failed: No such file or directory")],
  ]);
  const { verdicts } = await run(activities().auditUnits, await auditInput(logOf(ERROR), head));
  expect(verdicts).toMatchObject([{ unit: 'pg-config', verdict: 'success' }]);
});

test('a trial beyond the window that was rolled back is no success', async () => {
  const idle = [{ action: 'shell', command: 'ls' }, 0, ''] as const;
  const head = await chainOf([
    [{ action: 'shell', command: 'pip install .' }, 1, ERROR],
    ...Array.from({ length: 5 }, () => [...idle] as [Partial<SetupAction>, number, string]),
    [{ action: 'try_experience', unit: 'pg-config' }, 0, ''],
    [{ action: 'rollback', frames: 1 }, 0, '', [7]],
  ]);
  const trials = [
    {
      ...{ turn: 7, unit: 'pg-config', command: 'x', before: 'a', after: '' },
      outcome: 'success' as const,
      kept: true,
    },
  ];
  const { verdicts } = await run(activities().auditUnits, { ...(await auditInput(ERROR, head)), trials });
  expect(verdicts).toMatchObject([{ unit: 'pg-config', verdict: 'neutral' }]);
});
