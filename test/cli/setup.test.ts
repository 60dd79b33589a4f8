import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { compared } from '../../src/analysis/comparison';
import { Cli } from '../../src/cli/context';
import {
  asCsv,
  type ChosenMode,
  comparedRun,
  inTurn,
  type Job,
  planned,
  readSources,
} from '../../src/cli/setup/compare-plan';
import { type SetupFlags, setupInput } from '../../src/cli/setup/input';
import { setupQuery } from '../../src/cli/setup/list';
import { setupAnswer, succeeded } from '../../src/cli/setup/reading';
import { runCli } from './run-cli';
import { writeSetup } from './sample-setup';

const SOURCE = 'pypi:humanize==4.9.0';
const home = mkdtempSync(join(tmpdir(), 'pointsman-setup-'));

describe('flags and file become an input', () => {
  const table: readonly [string, Record<string, unknown>, SetupFlags, Record<string, unknown>][] = [
    ['a source alone', {}, { source: SOURCE }, { source: SOURCE }],
    ['what Commander sets by itself', { source: SOURCE }, { reproduce: true }, { source: SOURCE }],
    [
      'noes',
      { source: SOURCE, judge: true },
      { judge: false, reproduce: false },
      { source: SOURCE, judge: false, reproduce: false },
    ],
    [
      'roles, of which the flags stand over the file',
      { source: SOURCE, roles: { agent: 'one', verifier: 'two' } },
      { agent: 'three', judge: 'four' },
      { source: SOURCE, roles: { agent: 'three', verifier: 'two', judge: 'four' } },
    ],
    [
      'limits and memory',
      { source: SOURCE, limits: { steps: 9, commandSeconds: 60 } },
      { steps: 5, cost: 2.5, experience: 'frozen', speculate: 2 },
      {
        source: SOURCE,
        limits: { steps: 5, costUsd: 2.5, commandSeconds: 60 },
        experience: { mode: 'frozen', speculate: 2 },
      },
    ],
    [
      'services and components',
      { source: SOURCE, family: { services: [{ name: 'mysql' }] } },
      { service: ['redis'], component: ['client=npm:qs@6.11.0'] },
      {
        source: SOURCE,
        family: { services: [{ name: 'redis' }], components: [{ name: 'client', source: 'npm:qs@6.11.0' }] },
      },
    ],
    [
      'relative paths, which the worker would not find',
      { source: 'dir:../toy', family: { components: [{ name: 'a', source: 'archive:a.zip#sha256=x' }] } },
      { component: [`b=archive:b.zip#sha256=${'0'.repeat(64)}`] },
      {
        source: `dir:${resolve('../toy')}`,
        family: { components: [{ name: 'b', source: `archive:${resolve('b.zip')}#sha256=${'0'.repeat(64)}` }] },
      },
    ],
  ];
  it.each(table)('%s', (_, file, flags, expected) => {
    expect(setupInput(file, flags)).toEqual(expected);
  });

  it.each([
    ['source: ', {}, {}],
    ['source: not well formed; expected pypi:NAME==VERSION; did you mean', {}, { source: 'pypi:humanize@4.9.0' }],
    ['family.components.0.source: ', { source: SOURCE }, { component: ['x=nothing'] }],
    ['--component: expected NAME=SOURCE (found "x")', { source: SOURCE }, { component: ['x'] }],
    ['family.services.0: service neo4j: "start" is needed', { source: SOURCE }, { service: ['neo4j'] }],
    ['experience.mode: ', { source: SOURCE }, { experience: 'sometimes' }],
    ['setup: roles.agent: ', { source: SOURCE }, { agent: 'builtin:rules' }],
    ['setup: roles.judge: ', { source: SOURCE }, { judge: 'builtin:playbook' }],
    ['limts: unknown field, did you mean "limits"?', { source: SOURCE, limts: {} }, {}],
    ['limits.steps: ', { source: SOURCE }, { steps: 0 }],
  ])('refuses, naming the field: %s', (said, file, flags: SetupFlags) => {
    expect(() => setupInput(file, flags)).toThrow(said);
  });
});

describe('the command line', () => {
  it('refuses before a server is needed, as one JSON object', async () => {
    const run = async (...args: string[]) => {
      const { code, stdout } = await runCli(['setup', ...args, '--json']);
      return { code, error: JSON.parse(stdout).error as { code: string; message: string; hint: string } };
    };
    const [source, mode, status, modes, twice] = await Promise.all([
      run('start', '--source', 'pypi:humanize'),
      run('start', '--source', SOURCE, '--experience', 'on'),
      run('list', '--state', 'guilt'),
      run('compare', '--sources', SOURCE, '--modes', 'off,on'),
      run('compare', '--sources', SOURCE, SOURCE),
    ]);
    for (const { code, error } of [source, mode, status, modes, twice])
      expect({ code, error: error.code }).toEqual({ code: 1, error: 'InvalidInput' });
    expect(source.error.message).toContain('source: the version is missing');
    expect(mode.error.message).toContain('Allowed choices are off, frozen, learn');
    expect(status.error.message).toBe('--state: no state "guilt", did you mean "guilty"?');
    expect(modes.error.message).toContain('--modes');
    expect(twice.error.message).toBe(`--sources: ${SOURCE} is there twice`);
  });

  it('says in its help how sources are written and what the exit codes mean', async () => {
    const { stdout } = await runCli(['setup', 'start', '--help']);
    for (const words of ['deb-src:NAME=VER', 'git+URL@REV', 'archive:PATH#sha256=HEX', 'Exit code of --wait: 0'])
      expect(stdout).toContain(words);
  });
});

it('asks visibility for statuses of the workflow, endings of the loop and verdicts alike', () => {
  expect(setupQuery({})).toBe("WorkflowType = 'repoSetup'");
  expect(setupQuery({ state: 'running', source: "dir:/it's" })).toBe(
    "WorkflowType = 'repoSetup' AND InstanceId = 'dir:/it''s' AND ExecutionStatus = 'Running'",
  );
  expect(setupQuery({ state: 'gave_up' })).toContain("Outcome = 'gave_up'");
  expect(setupQuery({ state: 'verified' })).toContain("Outcome IN ('verified', 'not_guilty', 'guilty', 'error')");
});

describe('the answer of --wait', () => {
  it('has its promised fields as plain values', async () => {
    process.env.POINTSMAN_HOME = home;
    const { result } = await writeSetup(join(home, 'blobs'));
    const answer = await setupAnswer(new Cli(), result);
    expect(answer).toMatchObject({
      ...{ id: 'setup/toy-1', status: 'verified', verdict: 'guilty', selfClaim: true, verifier: true },
      ...{ tests: { passed: 3, failed: 1, skipped: 0, errors: 0 }, steps: 7, rollbacks: 2, reproduced: false },
      image: 'pointsman/environment:toy',
      dockerfile: 'FROM pointsman/base:bookworm\n',
      lock: null,
    });
    expect(answer.script).toContain('#!/bin/bash');
    expect(answer.units).toEqual(result.units);
    expect(answer.charges).toHaveLength(2);
  });

  it('counts as set up only what was verified and not found guilty', () => {
    const court = (verdict: 'guilty' | 'not_guilty' | 'error') => ({
      ...{ verdict, charges: [], findings: [], heads: { prosecutor: '', judge: '' } },
      cost: { usd: 0, tokens: 0 },
    });
    const table = [
      [{ status: 'verified', verdict: court('not_guilty') }, true],
      [{ status: 'verified', verdict: null }, true],
      [{ status: 'verified', verdict: court('guilty') }, false],
      [{ status: 'verified', verdict: court('error') }, false],
      [{ status: 'gave_up', verdict: null }, false],
    ] as const;
    for (const [result, good] of table) expect(succeeded(result)).toBe(good);
  });
});

describe('a comparison', () => {
  const plan = (modes: readonly ChosenMode[], sources = [{ source: SOURCE }, { source: 'npm:qs@6.11.0' }]) =>
    planned({ name: 'x', sources, modes, passes: 2, basis: { limits: { steps: 9 } }, flags: { agent: 'm' } });

  it("keeps what a source's own input says of experience, all but the mode", () => {
    const own = [{ source: SOURCE, experience: { mode: 'learn', speculate: 3 } }];
    const basis = { experience: { neutral: 'rollback', speculate: 1 } };
    const [job] = planned({ name: 'x', sources: own, modes: ['frozen'], passes: 1, basis, flags: {} });
    expect(job!.input.experience).toEqual({ mode: 'frozen', speculate: 3, neutral: 'rollback' });
  });

  it('has a stable id a run, and inputs that differ only in memory', () => {
    const jobs = plan(['off', 'frozen']);
    expect(jobs.map(({ id }) => id).slice(0, 4)).toEqual([
      `compare/x/off/${SOURCE}/1`,
      `compare/x/frozen/${SOURCE}/1`,
      'compare/x/off/npm:qs@6.11.0/1',
      'compare/x/frozen/npm:qs@6.11.0/1',
    ]);
    expect(jobs).toHaveLength(8);
    const [off, frozen] = jobs;
    expect(off!.input).toEqual({
      ...{ source: SOURCE, limits: { steps: 9 }, roles: { agent: 'm' }, experience: { mode: 'off' } },
    });
    expect(frozen!.input).toEqual({ ...off!.input, experience: { mode: 'frozen' } });
  });

  it('lets what learns write into a memory apart', () => {
    expect(plan(['learn'])[0]!.input.experience).toEqual({ mode: 'learn', memory: 'compare-x' });
  });

  it('wants verdicts', () => {
    const sources = [{ source: SOURCE, judge: false }];
    expect(() => plan(['off'], sources)).toThrow('judge: a comparison needs verdicts');
  });

  it('reads sources from words and files, inputs of their own among them', () => {
    const file = join(home, 'sources.txt');
    const own = { source: 'pypi:pymemcache==4.0.0', family: { services: [{ name: 'memcached' }] } };
    writeFileSync(file, `# the small ones\n${SOURCE}\n\n${JSON.stringify(own)}\n`);
    expect(readSources([file, 'dir:toy'])).toEqual([{ source: SOURCE }, own, { source: `dir:${resolve('toy')}` }]);
    expect(() => readSources([])).toThrow('--sources: there is none');
  });

  it('keeps the order of what learns, fills the rest up, and never runs more at once than it may', async () => {
    const jobs = plan(['off', 'learn']);
    let [now, most, learning] = [0, 0, 0];
    const began: Job[] = [];
    await inTurn(jobs, 3, async (job) => {
      began.push(job);
      now += 1;
      learning += job.mode === 'learn' ? 1 : 0;
      most = Math.max(most, now);
      expect(learning).toBeLessThanOrEqual(1);
      // Later jobs are quicker, so an order that nothing keeps would not be kept.
      for (let tick = jobs.length - began.length; tick >= 0; tick--) await Promise.resolve();
      now -= 1;
      learning -= job.mode === 'learn' ? 1 : 0;
    });
    expect(most).toBe(3);
    expect([...began].sort((a, b) => a.id.localeCompare(b.id))).toEqual(
      [...jobs].sort((a, b) => a.id.localeCompare(b.id)),
    );
    const learners = (list: readonly Job[]) => list.filter(({ mode }) => mode === 'learn').map(({ id }) => id);
    expect(learners(began)).toEqual(learners(jobs));
  });

  it('tests each half with what the other half taught, all of it and nothing else', async () => {
    const sources = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ source: `dir:/${name}` }));
    const jobs = planned({ name: 'x', sources, modes: ['off', 'crossed'], passes: 2, basis: {}, flags: {} });
    expect(jobs).toHaveLength(30);
    const memoryOf = ({ input }: Job) => input.experience as { mode: string; memory?: string; shipped?: boolean };
    const taught = new Map<string, Set<string>>();
    const done = new Set<Job>();
    await inTurn(jobs, 4, async (job) => {
      const { mode, memory = '', shipped } = memoryOf(job);
      if (job.mode === 'off') return;
      expect(shipped).toBe(false);
      expect(mode).toBe(job.mode === 'lesson' ? 'learn' : 'frozen');
      const known = taught.get(memory) ?? new Set();
      if (job.mode === 'crossed') {
        expect(known).toEqual(new Set(known.has('dir:/a') ? ['dir:/a', 'dir:/c', 'dir:/e'] : ['dir:/b', 'dir:/d']));
        expect(known).not.toContain(job.source);
      }
      for (let tick = 0; tick < 9; tick++) await Promise.resolve();
      if (job.mode === 'lesson') taught.set(memory, known.add(job.source));
      done.add(job);
    });
    expect(done.size).toBe(20);
    expect(taught.size).toBe(4);
    expect(() => plan(['crossed'], [{ source: SOURCE }])).toThrow('cannot be split into halves');
  });

  it('stops at the first error', async () => {
    const began: string[] = [];
    const driven = inTurn(plan(['off']), 1, async ({ id }) => {
      began.push(id);
      throw new Error('server gone');
    });
    await expect(driven).rejects.toThrow('server gone');
    expect(began).toHaveLength(1);
  });

  it('makes rows of results, of failures too, and writes them for spreadsheets', async () => {
    const { result } = await writeSetup(join(home, 'blobs'));
    const [first, second] = plan(['off']);
    const rows = [comparedRun(first!, result), comparedRun(second!, undefined, 'no image "x", at all')];
    expect(rows[0]).toMatchObject({
      status: 'verified',
      verdict: 'guilty',
      verifier: true,
      unitsTried: 1,
      unitsHelped: 0,
    });
    expect(compared(rows, ['off']).modes[0]).toMatchObject({ runs: 1, failed: 1, notGuilty: 0 });
    const [head, ...lines] = asCsv(rows).trimEnd().split('\r\n');
    expect(head).toMatch(/^source,mode,pass,id,status,verdict,.*,collected,passed,.*,trouble$/);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/,"no image ""x"", at all"$/);
    expect(lines[0]!.split(',')).toHaveLength(head!.split(',').length);
  });
});
