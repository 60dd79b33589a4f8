import { type ShellToken, splitShell } from '../rollout/shell';

/** One program of a pipeline as a shell would start it; nothing is expanded. */
export interface Stage {
  /** Program and arguments, without assignments and redirections. */
  readonly words: readonly string[];
  /** A file is redirected into it. */
  readonly readsFile: boolean;
  /** Its output goes into a file that is kept. */
  readonly writesFile: boolean;
}
export type Pipeline = readonly Stage[];

const PIPE = new Set(['|']);
const SEPARATORS = new Set(['&&', '||', ';;', ';', '\n', '&', '(', ')']);
/** Words that only hold commands together. */
const KEYWORDS = new Set(['do', 'done', 'then', 'else', 'fi', 'esac', '{', '}', '!', 'time', 'while', 'until', 'if']);
const NOWHERE = new Set(['/dev/null', '/dev/stdout', '/dev/stderr']);

/** Pipelines of a command line in their order, flattened: subshells, loops and branches are read as if all of it ran. */
export function pipelinesOf(command: string): Pipeline[] {
  const pipelines: Stage[][] = [[]];
  let stage = new StageReader();
  const tokens = splitShell(command).tokens;
  const close = () => {
    const read = stage.end();
    if (read) pipelines.at(-1)!.push(read);
    stage = new StageReader();
  };
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if ('word' in token) stage.word(token.word);
    else if (isRedirection(token, tokens[at + 1])) at = stage.redirection(tokens, at);
    else if (PIPE.has(token.operator)) {
      close();
      if (operatorAt(tokens, at + 1) === '&') at += 1;
    } else if (SEPARATORS.has(token.operator)) {
      close();
      pipelines.push([]);
    }
  }
  close();
  return pipelines.filter((pipeline) => pipeline.length > 0);
}

class StageReader {
  private readonly words: string[] = [];
  private readsFile = false;
  private writesFile = false;

  word(word: string): void {
    const leading = this.words.length === 0;
    if (leading && (KEYWORDS.has(word) || /^\w+=/.test(word))) return;
    this.words.push(word);
  }

  /** Reads `2>&1`, `&> file`, `<<END`, ... from the operator on; returns the index of the last token of it. */
  redirection(tokens: readonly ShellToken[], start: number): number {
    let at = operatorAt(tokens, start) === '&' ? start + 1 : start;
    const operator = operatorAt(tokens, at)!;
    // A descriptor in front of it was split off as a word of its own.
    if (/^\d$/.test(this.words.at(-1) ?? '')) this.words.pop();
    const toDescriptor = operatorAt(tokens, at + 1) === '&';
    if (toDescriptor) at += 1;
    const target = tokens[at + 1];
    if (!target || !('word' in target)) return at;
    if (operator === '<') this.readsFile ||= !toDescriptor;
    else if (operator.startsWith('>'))
      this.writesFile ||= !(toDescriptor && /^[\d-]/.test(target.word)) && !NOWHERE.has(target.word);
    return at + 1;
  }

  end(): Stage | undefined {
    const { words, readsFile, writesFile } = this;
    return words.length > 0 || readsFile || writesFile ? { words, readsFile, writesFile } : undefined;
  }
}

function isRedirection(token: { readonly operator: string }, next: ShellToken | undefined): boolean {
  const { operator } = token;
  if (/^[<>]/.test(operator)) return true;
  return operator === '&' && next !== undefined && 'operator' in next && next.operator.startsWith('>');
}

function operatorAt(tokens: readonly ShellToken[], at: number): string | undefined {
  const token = tokens[at];
  return token && 'operator' in token ? token.operator : undefined;
}
