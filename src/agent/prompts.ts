import type { DialectName } from '../contract/step';

/**
 * The prompt files of one view, by name. Each is found in the profile's own folder if there is one, else at the path
 * that `DEFAULT_PROMPT_FILES` gives. Variables are written `{{name}}`.
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
export type PromptName = (typeof PROMPT_NAMES)[number];
export type Prompts = Readonly<Record<PromptName, string>>;

/** Which file of the `prompts/` folder is the default for a name: `system` and `instance` differ by dialect. */
export const DEFAULT_PROMPT_FILES: Readonly<Record<DialectName, Prompts>> = {
  tools: promptFiles('tools'),
  xml: promptFiles('xml'),
  backticks: promptFiles('backticks'),
};

function promptFiles(dialect: DialectName): Prompts {
  const file = (name: PromptName) => `${name === 'system' || name === 'instance' ? dialect : 'shared'}/${name}.md`;
  return Object.fromEntries(PROMPT_NAMES.map((name) => [name, file(name)])) as Record<PromptName, string>;
}
