import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { Command } from 'commander';
import { Cli } from '../../src/cli/context';
import { explain } from '../../src/cli/server-errors';
import { REPOSITORY } from '../../src/home';
import { wholeProgram } from '../../src/main';
import { type Ran, runCli } from './run-cli';

/** Exactly one JSON object on standard output, and nothing else. */
function answer({
  stdout,
}: Ran): Record<string, unknown> & { error?: { code: string; message: string; hint: string } } {
  expect(stdout.endsWith('\n')).toBe(true);
  expect(stdout.trimEnd()).not.toContain('\n');
  return JSON.parse(stdout);
}

describe('bad input', () => {
  it('names the field, what was found and what is expected, and suggests', async () => {
    const [unknown, wrong] = await Promise.all([
      runCli(['rollout', 'start', '--input', '-', '--json'], { stdin: '{"problem":"p","studnt":"s"}' }),
      runCli(['rollout', 'start', '--input', '-', '--json'], {
        stdin: JSON.stringify({ problem: 'p', student: 's', expert: 'e', limits: { steps: 'many' } }),
      }),
    ]);
    expect(unknown.code).toBe(1);
    expect(answer(unknown).error).toMatchObject({
      code: 'InvalidInput',
      message: 'rollout: studnt: unknown field, did you mean "student"?',
    });
    expect(answer(wrong).error?.message).toMatch(/limits\.steps: .*expected (int|number).*\(found "many"\)/);
    expect(wrong.stderr).toContain('InvalidInput');
  });

  it('is refused before a server is needed: files, flags, statuses', async () => {
    const [file, list, flag, hash] = await Promise.all([
      runCli(['rollout', 'start', '--input', 'no-such-file.json', '--json']),
      runCli(['rollout', 'list', '--state', 'compleated', '--json']),
      runCli(['rollout', 'start', '--hand-over', 'sometimes', '--json']),
      runCli(['models', 'check', '--json']),
    ]);
    expect(answer(file).error?.message).toBe('--input no-such-file.json: cannot be read (ENOENT)');
    expect(answer(list).error?.message).toBe('--state: no state "compleated", did you mean "completed"?');
    expect(answer(flag).error?.message).toContain('"never"');
    expect(answer(hash).error?.hint).toContain('examples/pointsman.yaml');
    for (const ran of [file, list, flag, hash]) expect(ran.code).toBe(1);
  });

  it('a host that has no store to share does not join, and an address has to be one', async () => {
    const [alone, odd] = await Promise.all([
      runCli(['worker', 'start', '--join', '127.0.0.1:1', '--json']),
      runCli(['worker', 'start', '--join', 'temporal internal', '--json']),
    ]);
    expect(answer(alone).error).toMatchObject({
      code: 'InvalidInput',
      message: expect.stringMatching(/shares the store of those that are there, and .*pointsman\.yaml names none/),
    });
    expect(answer(odd).error?.message).toContain('as in temporal.internal:7233');
  });

  it('suggests the nearest command and says so in JSON too', async () => {
    const [noun, verb, none] = await Promise.all([
      runCli(['rolout']),
      runCli(['rollout', 'shw', '--json']),
      runCli(['rollout', '--json']),
    ]);
    expect(noun).toMatchObject({ code: 1, stdout: '' });
    expect(noun.stderr).toContain("unknown command 'rolout' (Did you mean rollout?)");
    expect(answer(verb).error?.message).toContain('Did you mean show?');
    expect(answer(none).error).toMatchObject({ code: 'InvalidInput', message: 'a command is missing' });
  });
});

it('says in a sentence what the system refused', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const script = join(REPOSITORY, 'examples', 'rehearsal.yaml');
  const taken = await runCli(['rehearsal', 'start', '--rehearsal', script, '--port', `${port}`]);
  server.close();
  expect(taken).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Unavailable: the port is taken: 127.0.0.1:${port}\n  → Take`),
  });
  const full = explain(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }));
  expect(full).toMatchObject({ message: 'the disk is full', hint: expect.stringContaining('POINTSMAN_HOME') });
  const other = new Error('x');
  expect(explain(other)).toBe(other);
});

it('takes an old name of an option, with a note', async () => {
  const ran = await runCli(['campaign', 'start', '--total=nothing', '--json']);
  expect(ran.stderr).toContain('note: --total of `campaign start` is called --cost now');
  expect(answer(ran).error?.message).toContain('--cost');
  expect((await runCli(['rollout', 'budget', 'x', '--total', '3'])).stderr).toContain("unknown option '--total'");
});

it('says how to reach a server where none answers', async () => {
  const ran = await runCli(['status', '--json']);
  expect(ran.code).toBe(1);
  expect(answer(ran)).toMatchObject({
    server: { answers: false },
    worker: { polling: false, pid: null },
    rehearsal: null,
  });
});

it('prints every help within 80 columns', async () => {
  const program = await wholeProgram(new Cli());
  const visit = (command: Command): void => {
    const help = command.helpInformation();
    expect(help).toContain('Usage: pointsman');
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
    command.commands.forEach(visit);
  };
  visit(program);
});

it('keeps the schemas in examples/ fresh', async () => {
  const ran = await runCli(['schemas', 'check', '--json']);
  expect(answer(ran)).toEqual({ stale: [] });
  expect(ran.code).toBe(0);
});
