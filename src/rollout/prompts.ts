import { PointsmanError } from '../contract/errors';
import type { DialectName } from '../contract/names';

/**
 * The prompt files of one view, by name. Each is found in the profile's own folder if there is one, else at the path
 * that `promptFile` gives. Variables are written `{{name}}`.
 */
export const PROMPT_NAMES = [
  /** `tool_docs`, `working_dir` */
  'system',
  /** `problem_statement`, `working_dir` */
  'instance',
  /** `observation` */
  'observation',
  /** `head`, `tail`, `elided`, `limit`: an observation over the view's limit, in characters */
  'observation-cut',
  /** `observation`, `exit_code`: the output of a command that failed */
  'observation-failed',
  /** no variables: a command that succeeded silently */
  'observation-empty',
  /** `exit_code`: a command that failed silently */
  'observation-empty-failed',
  /** `command`, `seconds`, `observation`: a command that the time limit ended, with what it had printed */
  'observation-timeout',
  /** `observation`, `bytes`: output of which the sandbox kept only head and tail */
  'observation-dropped',
  /** `lines`: an older observation that the history processor leaves out */
  'observation-omitted',
  /** `error`: what was wrong with a reply and how one must look */
  'format-error',
  /** `diff`: the answer to the first `submit` where reviews are on */
  'submit-review',
] as const;
type PromptName = (typeof PROMPT_NAMES)[number];
export type Prompts = Readonly<Record<PromptName, string>>;

/** The default file for a name, in the `prompts/` folder: `system` and `instance` differ by dialect. */
export function promptFile(dialect: DialectName, name: PromptName): string {
  return `${name === 'system' || name === 'instance' ? dialect : 'shared'}/${name}.md`;
}

/**
 * Fills `{{name}}` in a prompt file. One pass: a value that itself holds `{{…}}` is never expanded. The file's last
 * newline is not part of the prompt. Throws `InvalidInput` for a variable that this prompt does not have.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\r?\n$/, '').replace(/\{\{\s*([A-Za-z_]\w*)\s*\}\}/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) return value;
    throw new PointsmanError(
      'InvalidInput',
      `a prompt file uses {{${name}}}, which does not exist here`,
      `Use one of: ${Object.keys(values).join(', ') || 'none, this prompt has no variables'}.`,
    );
  });
}
