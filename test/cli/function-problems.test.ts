import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Cli } from '../../src/cli/context';
import { attemptsOption, type BuildFlags, buildInput, groundOf } from '../../src/cli/function-problems/build';
import { writeBuild } from '../../src/cli/function-problems/folder';
import { columnsOf } from '../../src/cli/terminal/columns';
import { buildText } from '../../src/cli/terminal/function-problems/build';
import { instanceText } from '../../src/cli/terminal/function-problems/instance';
import { proofText } from '../../src/cli/terminal/function-problems/proof';
import { FunctionProblemsInput, Problem, RejectedFunction } from '../../src/contract';
import { runCli } from './run-cli';
import { gross, keepBuild, net } from './sample-instances';

interface Said {
  readonly error: { readonly code: string; readonly message: string };
  readonly problems: readonly object[];
}

const home = mkdtempSync(join(tmpdir(), 'pointsman-problems-'));
const SOURCE = 'pypi:inflection==0.5.1';
const jsonl = join(home, 'problems.jsonl');
writeFileSync(jsonl, [gross, net].map((each) => `${JSON.stringify(each)}\n`).join(''));

describe('what a build begins with', () => {
  const table: readonly [string, Record<string, unknown>, BuildFlags, object][] = [
    ['a set-up', {}, { setup: 'setup/x-1' }, { environment: 'setup/x-1', label: 'x-1' }],
    [
      'an image, its source for the record',
      {},
      { image: 'lab/x:1', workdir: '/src', test: 'make test', source: SOURCE },
      {
        environment: { image: 'lab/x:1', workdir: '/src', testCommand: 'make test', source: SOURCE },
        label: 'lab-x-1',
      },
    ],
    ['a source that has to be set up', {}, { source: SOURCE }, { source: SOURCE, label: 'inflection-0.5.1' }],
    [
      'a folder, by a path that the worker finds too',
      {},
      { source: 'dir:../toy' },
      { source: `dir:${resolve('../toy')}`, label: 'toy' },
    ],
    ['what the file says', { environment: { image: 'lab/x' } }, {}, { environment: { image: 'lab/x' }, label: 'x' }],
    ['a flag over the file', { environment: 'setup/a' }, { setup: 'setup/b' }, { environment: 'setup/b', label: 'b' }],
  ];
  it.each(table)('%s', (_, file, flags, expected) => {
    expect(groundOf(file, flags)).toEqual(expected);
  });

  it.each([
    ['nothing to build from', {}],
    ['--setup already says', { setup: 'setup/x', image: 'y' }],
    ['--setup already says', { setup: 'setup/x', source: SOURCE }],
    ['--test needs --image', { setup: 'setup/x', test: 'make test' }],
    ['--workdir needs --image', { source: SOURCE, workdir: '/x' }],
    ['source: the version is missing', { source: 'pypi:inflection' }],
  ])('is refused: %s', (said, flags: BuildFlags) => {
    expect(() => groundOf({}, flags)).toThrow(said);
  });
});

describe('flags and file become an input', () => {
  it('leaves what nobody said to the workflow', () => {
    expect(buildInput({}, 'setup/x', {})).toEqual({ environment: 'setup/x' });
  });

  it('takes the example as it is', () => {
    const example = JSON.parse(readFileSync(join(__dirname, '../../examples/function-problems.json'), 'utf8'));
    expect(buildInput(example, example.environment, {}).attempts).toHaveLength(3);
  });

  it('has flags stand over the file, field by field', () => {
    const file = { gates: { branchCoverage: 0.5, minCases: 3 }, seed: 1, attempts: [{ author: 'mine' }] };
    const flags = { mutation: 0.7, seed: 2, repairs: 5, concurrency: 8, cases: 6, only: ['a.b'], tryAll: true };
    expect(buildInput(file, 'setup/x', flags)).toEqual({
      ...{ environment: 'setup/x', seed: 2, concurrency: 8, casesPerFunction: 6, only: ['a.b'], tryAll: true },
      gates: { branchCoverage: 0.5, mutationScore: 0.7, minCases: 3 },
      attempts: [{ author: 'mine', repairs: 5 }],
    });
  });

  it('resolves a table of filters, so that a mistake in it is met here', () => {
    const table = join(home, 'filters.yaml');
    writeFileSync(table, 'maxLines: 12\nnamePrefixes: [+visit]\n');
    const { filters } = FunctionProblemsInput.parse(buildInput({}, 'setup/x', { filters: table }));
    expect(filters).toMatchObject({ maxLines: 12, requireDocstring: true });
    expect(filters.namePrefixes).toEqual(expect.arrayContaining(['visit', 'test']));
    writeFileSync(table, 'maxLine: 12\n');
    expect(() => buildInput({}, 'setup/x', { filters: table })).toThrow('did you mean "maxLines"?');
    expect(() => buildInput({}, 'setup/x', { filters: join(home, 'none.yaml') })).toThrow('there is no such file');
  });

  it('reads authors with context and mode', () => {
    expect(attemptsOption('builtin:recorded-calls, builtin:hypothesis:naive,mine,mine:full:prediction')).toEqual([
      { author: 'builtin:recorded-calls' },
      { author: 'builtin:hypothesis', context: 'naive' },
      { author: 'mine' },
      { author: 'mine', context: 'full', mode: 'prediction' },
    ]);
    expect(() => attemptsOption('mine:sliced:predicton')).toThrow('no mode "predicton", did you mean "prediction"?');
    expect(() => attemptsOption('mine:a')).toThrow('no context "a"');
    expect(() => attemptsOption('mine:full:prediction:4')).toThrow('expected AUTHOR[:CONTEXT[:MODE]]');
    expect(() => attemptsOption('mine,,')).toThrow('expected AUTHOR');
    expect(() => buildInput({}, 'x', { attempts: attemptsOption('builtin:recorded') })).toThrow('attempts.0.author');
  });
});

describe('the command line', () => {
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli(['function-problems', ...args], { env: { POINTSMAN_HOME: home } });
    return { code, stdout, stderr, said: (args.includes('--json') ? JSON.parse(stdout) : {}) as Said };
  };

  it('refuses before a server is needed, as one JSON object', async () => {
    const refusals = await Promise.all([
      run('build', '--json'),
      run('build', '--setup', 'x', '--out', 'y', '--json'),
      run('build', '--setup', 'x', '--coverage', '80', '--json'),
      run('show', jsonl, '--json'),
      run('show', jsonl, gross.id, '--harness', '--reference', '--json'),
    ]);
    for (const { code, said } of refusals)
      expect({ code, error: said.error.code }).toEqual({ code: 1, error: 'InvalidInput' });
    expect(refusals.map(({ said }) => said.error.message)).toEqual([
      'nothing to build from',
      '--out: there is nothing to write before it has ended',
      expect.stringContaining('expected a share, like 0.8 or 80%.'),
      expect.stringContaining('holds 2 problems: which one?'),
      '--harness and --reference: one text at a time',
    ]);
  });

  it('lists and shows the problems of a file or its folder without a server', async () => {
    const [list, folder, json, harness, context, named] = await Promise.all([
      run('list', jsonl),
      run('list', home, '--json'),
      run('show', jsonl, gross.id, '--json'),
      run('show', home, gross.id, '--harness'),
      run('show', jsonl, gross.id, '--context', 'sliced', '--json'),
      run('show', jsonl, 'prices.gros', '--json'),
    ]);
    expect(list.stdout.split('\n').filter((line) => columnsOf(line) > 80)).toEqual([]);
    expect(list.stdout).toMatch(/prices\.gross +3 +1 in +2 +99 % +33 %/);
    expect(folder.said.problems).toMatchObject([{ id: gross.id, mutationScore: 1 / 3 }, { mutationScore: null }]);
    expect(json.said).toEqual(JSON.parse(JSON.stringify(gross)));
    expect(harness.stdout).toBe(gross.harness.source);
    expect(context.said).toEqual({ id: gross.id, context: 'RATE = 19' });
    expect(named.said.error.message).toContain('has no problem "prices.gros", did you mean "prices.gross"?');
  });

  it('names the line that is no problem', async () => {
    const broken = join(home, 'broken.jsonl');
    writeFileSync(broken, `${JSON.stringify(gross)}\n{"id": 1}\n`);
    const { code, said } = await run('list', broken, '--json');
    expect(code).toBe(1);
    expect(said.error.message).toContain('broken.jsonl: line 2: id: ');
  });
});

describe('views', () => {
  const plain = { width: 80, coloured: false, full: false };
  const esc = String.fromCharCode(27);

  it('shows a problem in 80 columns, foreign text made harmless, the reference left out', () => {
    const text = instanceText(gross, plain);
    expect(text.split('\n').filter((line) => columnsOf(line) > 80)).toEqual([]);
    expect(text).not.toContain(esc);
    expect(text).not.toContain('net * rate // 100');
    for (const words of [
      'function prices.gross, prices.py:6–10',
      'depends on 1 definition, all in its own file',
      'docstring of the problem · types and examples appended',
      '2 cases, the same in 5 runs; taken out as flaky: case_clock',
      '99 % of branches, 100 % of lines, missed lines 8',
      '1 of 3 mutants killed (33 %)',
      'survives: line 8, compare: net < 0 → net <= 0',
    ])
      expect(text).toContain(words);
  });

  it('shows a build with its funnel, what was left out and why, and its problems', async () => {
    process.env.POINTSMAN_HOME = home;
    const cli = new Cli();
    const result = await keepBuild(cli.blobs, [gross, net]);
    const rejected = (await cli.blobs.get(result.rejected.sha256))
      .toString()
      .trim()
      .split('\n')
      .map((line) => RejectedFunction.parse(JSON.parse(line)));
    const build = {
      ...{ id: result.id, status: 'completed' as const, from: SOURCE, startedAt: new Date(0), endedAt: new Date(9e4) },
      ...{ progress: undefined, result, instances: [gross, net], rejected, trouble: undefined, links: [] },
    };
    const text = buildText(build, plain);
    expect(text.split('\n').filter((line) => columnsOf(line) > 80)).toEqual([]);
    expect(text).not.toContain(esc);
    expect(text).toContain('9 functions, 3 tried, 2 admitted');
    expect(text).toMatch(/docstring +4 +5/);
    expect(text).toContain('prices.weak\n  mutants: 1 of 9 killed');
    expect(text).not.toContain('prices.bare');
  });

  it('says what is not proved and why', () => {
    const outcome = (passed: boolean, verdict: 'passed' | 'raised' | 'different') => ({
      ...{ problem: 'a', sample: 0, repair: 0, passed, verdict, code: null, reply: null },
      ...{ cases: { passed: passed ? 2 : 0, total: 2 }, detail: 'case_one: 3, not 4', cost: { usd: 0, tokens: 0 } },
    });
    const good = { id: 'a', oracle: outcome(true, 'passed'), stub: outcome(false, 'raised'), proved: true };
    expect(proofText([good], plain)).toContain('1 problem: oracle = 1, stub = 0');
    const bad = { id: 'b', oracle: outcome(false, 'different'), stub: outcome(true, 'passed'), proved: false };
    const text = proofText([good, bad], plain);
    expect(text).toContain('the reference: case_one: 3, not 4');
    expect(text).toContain('a body that only raises passes');
    expect(text).toContain('1 of 2 problems not proved');
  });
});

it('writes a build as files that other commands take, in place of an earlier one', async () => {
  process.env.POINTSMAN_HOME = home;
  const cli = new Cli();
  const out = join(home, 'out');
  const first = await writeBuild(cli, await keepBuild(cli.blobs, [gross, net]), out);
  expect(first.rollouts).toHaveLength(2);
  mkdirSync(join(out, 'rollout', 'notes'));
  const { rollouts, ...files } = await writeBuild(cli, await keepBuild(cli.blobs, [gross]), out);
  expect(readFileSync(files.problems, 'utf8')).toBe(`${JSON.stringify(gross)}\n`);
  expect(readFileSync(files.rejected, 'utf8').split('\n')).toHaveLength(3);
  expect(JSON.parse(readFileSync(files.swebench, 'utf8'))).toEqual({ instance_id: gross.id });
  expect(readFileSync(files.report, 'utf8')).toMatch(/^# Function problems/);
  // What was a problem before is gone, and what is no problem of ours stays.
  expect(first.rollouts.map((folder) => existsSync(folder))).toEqual([true, false]);
  expect(existsSync(join(out, 'rollout', 'notes'))).toBe(true);
  const problem = Problem.parse(JSON.parse(readFileSync(join(rollouts[0]!, 'problem.json'), 'utf8')));
  expect(problem).toMatchObject({ id: gross.id, image: 'test/prices', workdir: '/repo', licence: 'MIT' });
  expect(problem.statement).not.toContain('net * rate');
  expect(problem.goldPatch).toContain('+    return net + net * rate // 100');
});
