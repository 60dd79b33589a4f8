import { styleText } from 'node:util';

const paint = (style: Parameters<typeof styleText>[0], text: string) =>
  process.stdout.isTTY && !process.env.NO_COLOR ? styleText(style, text) : text;

/** Tells what happens, step by step, each with the seconds that it took. */
export class Narrator {
  private readonly since = Date.now();

  title(text: string): void {
    console.log(`\n${paint('bold', text)}`);
  }

  line(text = ''): void {
    console.log(text);
  }

  note(text: string): void {
    console.log(paint('dim', `  ${text}`));
  }

  event(text: string): void {
    console.log(paint('yellow', `  ⚡ ${text}`));
  }

  async step<T>(what: string, work: () => Promise<T>, found: (value: T) => string = () => ''): Promise<T> {
    const began = Date.now();
    if (process.stdout.isTTY) process.stdout.write(paint('dim', `  … ${what}`));
    const value = await work();
    if (process.stdout.isTTY) process.stdout.write('\r\x1b[2K');
    const detail = found(value);
    console.log(
      `  ${paint('green', '✔')} ${what}${detail ? `: ${detail}` : ''} ${paint('dim', `(${seconds(began)})`)}`,
    );
    return value;
  }

  end(): void {
    this.note(`all in all ${seconds(this.since)}`);
  }
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
