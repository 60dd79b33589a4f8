import { styleText } from 'node:util';

type Paint = (text: string) => string;

/** The few styles that output uses, by what they mean. */
export interface Ink {
  readonly strong: Paint;
  readonly dim: Paint;
  readonly student: Paint;
  readonly expert: Paint;
  readonly good: Paint;
  readonly bad: Paint;
  readonly notice: Paint;
}

/** Coloured or plain. Only call it with text that is safe already: styling is the last thing done to a string. */
export function ink(coloured: boolean): Ink {
  const style =
    (format: Parameters<typeof styleText>[0]): Paint =>
    (text) =>
      coloured && text !== '' ? styleText(format, text) : text;
  return {
    strong: style('bold'),
    dim: style('dim'),
    student: style('cyan'),
    expert: style('magenta'),
    good: style('green'),
    bad: style('red'),
    notice: style('yellow'),
  };
}

/** https://no-color.org: any value but the empty one turns colours off. */
export function wantsColour(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}
