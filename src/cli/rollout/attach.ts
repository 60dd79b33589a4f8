import { userInfo } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { Command } from 'commander';
import {
  type AwaitedPerson,
  jsonAt,
  type PersonAct,
  type PersonActed,
  PointsmanError,
  type RolloutProgress,
} from '../../contract';
import { quote } from '../../rollout/shell';
import { type Cli, look } from '../context';
import { NO_WORKER } from '../follow';
import { askProgress, lookUp } from '../lookup';
import { safeLines } from '../terminal/safe-text';
import { turnLines } from '../terminal/turn';
import { actAsPerson } from './act';
import { loadSteps } from './reading';

const POLL_MS = 300;
/** Turns that are shown at first. */
const LAST = 3;

const HELP = [
  'A line is a shell command; one that ends with \\ goes on in the next. Others:',
  '  # WORDS        the thought of the next turn',
  '  :TOOL {JSON}   a call of another tool, as :str_replace_editor {"command": "view", "path": "/testbed"}',
  '  submit         the work is done',
  '  help           this',
  '  quit           leave; the rollout waits on',
].join('\n');

/** `rollout attach`: a person makes the turns that wait for one, at a prompt or from a pipe. */
export function addAttach(rollout: Command, cli: Cli): void {
  rollout
    .command('attach <id>')
    .description('make the turns that wait for a person (a profile of provider: person), a line a command')
    .option('--as <name>', 'who you are, as the trajectory will say; your user name unless told')
    .option('--full', 'nothing folded')
    .addHelpText('after', `\n${HELP}`)
    .action(async (id: string, { as, full }: { as?: string; full?: boolean }) => {
      const by = as ?? userInfo().username;
      const { handle, described } = await lookUp(cli, id, 'rollout');
      if (described.status.name !== 'RUNNING')
        throw new PointsmanError('NotFound', `${id} has ended`, `\`pointsman rollout show ${quote(id)}\` shows how.`);
      await new Attached(cli, handle, by, full ?? false).run();
    });
}

/** A line read as what to do. */
type Typed =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'quit' }
  | { readonly kind: 'help' }
  | { readonly kind: 'thought'; readonly words: string }
  | { readonly kind: 'call'; readonly tool: string; readonly args: Record<string, unknown> };

/** Throws `InvalidInput` for a call whose arguments are no JSON object. */
export function readTyped(line: string): Typed {
  const text = line.trim();
  if (text === '') return { kind: 'nothing' };
  if (text === 'quit' || text === 'help') return { kind: text };
  if (text === 'submit') return { kind: 'call', tool: 'submit', args: {} };
  const thought = /^#\s+([\s\S]+)$/.exec(text);
  if (thought) return { kind: 'thought', words: thought[1]! };
  const call = /^:([A-Za-z_]\w*)\s*([\s\S]*)$/.exec(text);
  if (!call) return { kind: 'call', tool: 'bash', args: { command: line } };
  const args = jsonAt(
    { line: call[2] === '' ? '{}' : call[2]!, where: `:${call[1]}` },
    'Arguments are one JSON object.',
  );
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    throw new PointsmanError(
      'InvalidInput',
      `:${call[1]}: the arguments are no JSON object`,
      'Like {"command": "ls"}.',
    );
  return { kind: 'call', tool: call[1]!, args: { ...args } };
}

class Attached {
  private readonly made: PersonActed[] = [];
  private refusals = 0;
  private shown = 0;
  private begun = false;
  private said = '';

  constructor(
    private readonly cli: Cli,
    private readonly handle: WorkflowHandle,
    private readonly by: string,
    private readonly full: boolean,
  ) {}

  async run(): Promise<void> {
    const { cli } = this;
    const interactive = process.stdin.isTTY === true && !cli.json;
    const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: interactive });
    const lines = reader[Symbol.asyncIterator]();
    const next = async (prompt: string) => {
      if (interactive) {
        reader.setPrompt(prompt);
        reader.prompt();
      }
      const { value, done } = await lines.next();
      return done ? undefined : String(value);
    };
    let thought: string[] = [];
    let ended = false;
    try {
      for (;;) {
        const turn = await this.turnToMake();
        if (!turn) {
          ended = true;
          break;
        }
        const line = await wholeLine(next, `${turn.turn} $ `);
        if (line === undefined) break;
        const typed = this.read(line);
        if (!typed || typed.kind === 'nothing') continue;
        if (typed.kind === 'quit') break;
        if (typed.kind === 'help') cli.say(HELP);
        if (typed.kind === 'thought') thought.push(typed.words);
        if (typed.kind !== 'call') continue;
        const { tool, args } = typed;
        const acted = await this.act({ turn: turn.turn, by: this.by, thought: thought.join('\n'), tool, args });
        if (!acted) continue;
        thought = [];
        ended = acted.submitted;
        if (ended) break;
      }
    } finally {
      reader.close();
    }
    this.leave(ended);
  }

  private read(line: string): Typed | undefined {
    try {
      return readTyped(line);
    } catch (error) {
      this.refuse(error);
      return undefined;
    }
  }

  /** Waits for a turn that waits for a person, and shows what came before it; undefined where the rollout has ended. */
  private async turnToMake(): Promise<AwaitedPerson | undefined> {
    const { cli, handle } = this;
    const client = await cli.client();
    for (;;) {
      const progress = await askProgress<RolloutProgress>(client, handle);
      if (progress?.head) await this.showUpTo(progress.head);
      if (progress?.awaiting) {
        this.said = '';
        return progress.awaiting;
      }
      // A run that was just ended still answers queries.
      if ((await handle.describe()).status.name !== 'RUNNING') return undefined;
      this.say(progress ? `${progress.phase.toLowerCase()}: it waits for no person yet` : NO_WORKER);
      await sleep(POLL_MS);
    }
  }

  /** What came of it; undefined where it was refused. */
  private async act(act: PersonAct): Promise<PersonActed | undefined> {
    try {
      const acted = await actAsPerson(await this.cli.client(), this.handle.workflowId, act);
      this.made.push(acted);
      await this.showUpTo(acted.head);
      return acted;
    } catch (error) {
      this.refuse(error);
      return undefined;
    }
  }

  /** Said, and the prompt goes on; a script learns it from the exit code. */
  private refuse(error: unknown): void {
    if (!(error instanceof PointsmanError)) throw error;
    this.refusals += 1;
    this.cli.say(`${error.message}${error.hint ? `\n  → ${error.hint}` : ''}`);
  }

  /** The task and the last turns at first, then each turn that came. */
  private async showUpTo(head: string): Promise<void> {
    const { opening, steps } = await loadSteps(this.cli, head);
    const from = this.begun ? this.shown : Math.max(0, steps.length - LAST);
    if (!this.begun && !this.cli.json) {
      const task = safeLines(opening.statement.trim()).join('\n');
      const earlier =
        from > 0 ? `\n${from} earlier turns: \`pointsman rollout show ${quote(this.handle.workflowId)}\`\n` : '';
      process.stdout.write(`${opening.problemId}, in ${opening.workdir}\n\n${task}\n${earlier}\n`);
      this.cli.say('a line is a shell command; `submit` when the work is done, `help` for the rest');
    }
    this.begun = true;
    for (let at = from; at < steps.length; at++) {
      const lines = turnLines(steps[at]!, steps[at - 1]?.turn.author, look(this.full));
      if (!this.cli.json) process.stdout.write(`${lines.join('\n')}\n`);
    }
    this.shown = Math.max(this.shown, steps.length);
  }

  private leave(ended: boolean): void {
    const { cli, handle, made, refusals } = this;
    const id = handle.workflowId;
    if (cli.json) cli.print({ id, ended, refusals, turns: made }, () => '');
    const next = ended
      ? `\`pointsman rollout watch ${quote(id)}\` shows the verdict`
      : `it waits on: \`pointsman rollout attach ${quote(id)}\``;
    cli.say(`${made.length} turns made${refusals > 0 ? `, ${refusals} refused` : ''}; ${next}`);
    if (refusals > 0 && !process.stdin.isTTY) process.exitCode = 1;
  }

  /** Once per change. */
  private say(line: string): void {
    if (line === this.said) return;
    this.said = line;
    this.cli.say(`· ${line}`);
  }
}

/** A line, with those that it goes on in. */
async function wholeLine(
  next: (prompt: string) => Promise<string | undefined>,
  prompt: string,
): Promise<string | undefined> {
  const lines: string[] = [];
  for (let line = await next(prompt); line !== undefined; line = await next('> ')) {
    lines.push(line);
    if (!line.endsWith('\\')) break;
  }
  return lines.length === 0 ? undefined : lines.join('\n');
}
