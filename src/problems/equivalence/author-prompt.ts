import type { ContextKind, FunctionTarget, HarnessMode } from '../../contract';

/** Files of `prompts/harness/`. Variables are written `{{name}}`. */
export const HARNESS_PROMPTS = [
  /** `cases_api`: what harnesses may import, in words */
  'system',
  /** no variables: tests that assert outputs which the author predicted, R2E's baseline */
  'system-prediction',
  /** `context`, `kind`, `name`, `module`, `file`, `subject`, `import_line`, `count`, `most` */
  'task',
  /** `name`, `feedback`: what came of running the cases */
  'repair',
  /** `feedback`: why no cases could be read from the reply */
  'repair-unreadable',
] as const;
export type HarnessPrompt = (typeof HARNESS_PROMPTS)[number];

export interface AuthorTask {
  readonly target: FunctionTarget;
  /** Contexts as they are for an author: with the body of the function. */
  readonly contexts: Readonly<Record<ContextKind, string>>;
  readonly context: ContextKind;
  /** Cases at most. */
  readonly most: number;
}

/** Cases asked for: R2E's harnesses have 11.5 on average. */
const COUNT = 12;

/** Which prompt tells the author its trade. */
export function systemPrompt(mode: HarnessMode): HarnessPrompt {
  return mode === 'equivalence' ? 'system' : 'system-prediction';
}

/** Variables of `task`. */
export function authorValues({ target, contexts, context, most }: AuthorTask): Record<string, string> {
  const { kind, module, name, file } = target;
  const className = name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : null;
  return {
    context: contexts[context].trimEnd(),
    kind: kind === 'function' ? 'function' : 'method',
    name,
    module,
    file,
    subject:
      className === null
        ? `\`subject\` is the function \`${name}\` itself`
        : `\`subject\` is the class \`${className}\`, and the method is reached through it or its instances`,
    import_line: `import ${module}`,
    count: String(Math.min(COUNT, most)),
    most: String(most),
  };
}
