import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A real process with the store open; `ask` gives its answer to one command. */
class Child {
  private constructor(
    readonly process: ChildProcess,
    private readonly answers: AsyncIterator<string>,
  ) {}

  static async start(folder: string): Promise<Child> {
    const script = join(__dirname, 'support', 'child.ts');
    const child = spawn(process.execPath, ['--import', 'tsx', script, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    const started = new Child(child, createInterface({ input: child.stdout })[Symbol.asyncIterator]());
    expect(await started.next()).toBe('ready');
    return started;
  }

  ask(command: string): Promise<unknown> {
    this.process.stdin!.write(`${command}\n`);
    return this.next();
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await once(this.process, 'exit');
  }

  async end(): Promise<number | null> {
    const exited = once(this.process, 'exit');
    this.process.stdin!.end();
    return (await exited)[0] as number | null;
  }

  private async next(): Promise<unknown> {
    const { value, done } = await this.answers.next();
    if (done) throw new Error('the process has ended');
    return JSON.parse(value);
  }
}

/** Making a database takes seconds: it is made once, and each test has a copy. */
const made = mkdtempSync(join(tmpdir(), 'experience-processes-'));
let folder: string;
beforeAll(async () => {
  await (await Child.start(join(made, 'template'))).end();
});
afterAll(() => rmSync(made, { recursive: true, force: true }));
beforeEach(() => {
  folder = mkdtempSync(join(made, 'test-'));
  cpSync(join(made, 'template', 'data'), join(folder, 'data'), { recursive: true });
});

test('processes of one host share the store: started at once, one owns it and nothing is lost', async () => {
  const children = await Promise.all([1, 2, 3].map(() => Child.start(folder)));
  await children[0]!.ask('import');
  const learned = await Promise.all(children.map((child, at) => child.ask(`learn run-${at}`)));
  expect(learned.map((each) => (each as { outcome: string }).outcome).sort()).toEqual([
    'duplicate',
    'duplicate',
    'inserted',
  ]);
  // The same audit by all of them, and one of each by itself.
  await Promise.all(children.map((child) => child.ask('audit shared a')));
  await Promise.all(children.map((child, at) => child.ask(`audit own-${at} a`)));
  for (const child of children) expect(await child.ask('count')).toEqual({ successes: 4, hits: 4, units: 2 });
  for (const child of children) expect(await child.end()).toBe(0);
});

test('after kill -9 of the owner, in the middle of work, another process takes over and every booked verdict is there', async () => {
  const owner = await Child.start(folder);
  const other = await Child.start(folder);
  await owner.ask('import');
  let booked = 0;
  const working = (async () => {
    for (let at = 0; at < 30; at++) {
      const { booked: units } = (await other.ask(`audit run-${at} a`)) as { booked: string[] };
      // What was asked for when the owner died is asked for again, and may have been booked the first time.
      booked++;
      expect(units.length).toBeLessThanOrEqual(1);
      if (at === 5) await owner.kill();
    }
  })();
  await working;
  expect(await other.ask('count')).toEqual({ successes: booked, hits: booked, units: 1 });
  const third = await Child.start(folder);
  expect(await third.ask('count')).toEqual({ successes: booked, hits: booked, units: 1 });
  await other.kill();
  expect(await third.ask('count')).toEqual({ successes: booked, hits: booked, units: 1 });
  expect(await third.end()).toBe(0);
});

test('an owner that ends hands the store over, and its clients notice nothing', async () => {
  const owner = await Child.start(folder);
  const client = await Child.start(folder);
  await owner.ask('import');
  const asked = Array.from({ length: 20 }, (_, at) => client.ask(`audit run-${at} a`));
  const ended = owner.end();
  await Promise.all(asked);
  expect(await ended).toBe(0);
  expect(await client.ask('count')).toEqual({ successes: 20, hits: 20, units: 1 });
  expect(await client.end()).toBe(0);
});
