import { styleText } from 'node:util';
import { look } from '../cli/context';
import { shortened, wrapWords } from '../cli/terminal/columns';
import { isInstalled } from '../home';

/** How this command line is called from here: the checkout's own, or the one that npm put on PATH. */
export const POINTSMAN = isInstalled ? 'pointsman' : 'bin/pointsman';

const paint = (style: Parameters<typeof styleText>[0], text: string) =>
  process.stdout.isTTY && !process.env.NO_COLOR ? styleText(style, text) : text;

/** Tells what happens, step by step, each with the seconds that it took. */
export class Narrator {
  private readonly since = performance.now();

  title(text: string): void {
    console.log(`\n${paint('bold', text)}`);
  }

  line(text = ''): void {
    console.log(text);
  }

  /** Prose, as wide as the terminal. */
  say(text: string): void {
    for (const line of wrapped(text)) console.log(line);
  }

  note(text: string): void {
    for (const line of wrapped(text)) console.log(paint('dim', line));
  }

  /** One line of progress; what does not fit is left to the commands that show all. */
  glimpse(text: string): void {
    console.log(paint('dim', shortened(`  ${text}`, look().width)));
  }

  event(text: string): void {
    for (const line of wrapped(`⚡ ${text}`)) console.log(paint('yellow', line));
  }

  /** Commands that do the same without the demo, whole, to be copied. */
  byHand(commands: readonly string[]): void {
    console.log(`  by hand (\`${POINTSMAN} down\` stops what keeps running):`);
    for (const command of commands) console.log(`    ${command}`);
  }

  async step<T>(what: string, work: () => Promise<T>, found: (value: T) => string = () => ''): Promise<T> {
    const began = performance.now();
    if (process.stdout.isTTY) process.stdout.write(paint('dim', shortened(`  … ${what}`, look().width - 1)));
    const value = await work();
    if (process.stdout.isTTY) process.stdout.write('\r\x1b[2K');
    const detail = found(value);
    const [first, ...rest] = wrapWords([`    ${what}${detail ? `: ${detail}` : ''} (${seconds(began)})`], look().width);
    console.log(`  ${paint('green', '✔')} ${first!.trimStart()}`);
    for (const line of rest) console.log(line);
    return value;
  }

  end(): void {
    this.note(`${seconds(this.since)} in total`);
  }
}

function wrapped(text: string): string[] {
  return wrapWords([`  ${text}`], look().width);
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
