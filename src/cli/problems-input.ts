import {
  ContextKind,
  FunctionProblemsInput,
  HarnessMode,
  labelOfSource,
  nearest,
  PointsmanError,
  parseInput,
} from '../contract';
import { resolveFilters } from '../problems/extraction';
import { readFilterTable } from './filter-table';
import { given, type Written } from './input-file';
import { absoluteSource } from './setup-input';

/** Flags that stand over what the input file says. */
export interface BuildFlags {
  readonly setup?: string;
  readonly image?: string;
  readonly workdir?: string;
  readonly test?: string;
  readonly source?: string;
  readonly python?: string;
  readonly only?: readonly string[];
  readonly filters?: string;
  readonly attempts?: readonly Attempt[];
  readonly repairs?: number;
  readonly tryAll?: boolean;
  readonly refiner?: string;
  readonly maxFunctions?: number;
  readonly cases?: number;
  readonly parallel?: number;
  readonly coverage?: number;
  readonly mutation?: number;
  readonly seed?: number;
}

interface Attempt {
  readonly author: string;
  readonly context?: ContextKind;
  readonly mode?: HarnessMode;
}

/** What a build begins with: an environment, or a source that has to be set up before. */
export type Ground =
  | { readonly environment: unknown; readonly label: string }
  | { readonly source: string; readonly label: string };

/** `builtin:hypothesis,mine:full:prediction`: authors in the order in which they are tried. Throws `InvalidInput`. */
export function attemptsOption(text: string): Attempt[] {
  return text.split(',').map((each) => {
    const [, author = '', context, mode, rest] = /^((?:builtin:)?[^:]*)(?::([^:]*))?(?::([^:]*))?(.*)$/.exec(
      each.trim(),
    )!;
    if (author === '' || rest) throw refused(`--attempts: expected AUTHOR[:CONTEXT[:MODE]] (found "${each.trim()}")`);
    return {
      author,
      ...(context === undefined ? {} : { context: choice(context, ContextKind.options, 'context') }),
      ...(mode === undefined ? {} : { mode: choice(mode, HarnessMode.options, 'mode') }),
    };
  });
}

function choice<T extends string>(word: string, options: readonly T[], what: string): T {
  const found = options.find((each) => each === word);
  if (found) return found;
  const close = nearest(word, options);
  throw refused(
    `--attempts: no ${what} "${word}"${close ? `, did you mean "${close}"?` : ''}`,
    `There are ${options.join(', ')}.`,
  );
}

/** What the flags or the file say to begin with. Throws `InvalidInput` where they say nothing, or two things. */
export function groundOf(written: Written, flags: BuildFlags): Ground {
  const { setup, image, source, workdir, test, python } = flags;
  if (setup !== undefined && (image ?? source) !== undefined)
    throw refused('--setup stands alone: it says which image and source', 'Leave --image and --source out.');
  const named = Object.entries({ workdir, test, python }).filter(([, value]) => value !== undefined);
  if (image === undefined && named[0])
    throw refused(`--${named[0][0]} goes with --image: a set-up says it itself`, 'Give --image too, or leave it out.');
  if (setup !== undefined) return { environment: setup, label: setup.replace(/^.*\//, '') };
  if (image !== undefined) {
    const fields = { image, workdir, testCommand: test, python, source: source && absoluteSource(source) };
    return { environment: given(fields), label: labelOf(image) };
  }
  if (source !== undefined) return { source: absoluteSource(source), label: labelOfSource(absoluteSource(source)) };
  const { environment } = written;
  if (environment === undefined)
    throw refused(
      'nothing to build from',
      'Give --source to set one up first, --setup with the id of a finished set-up, or --image.',
    );
  const name =
    typeof environment === 'string' ? environment : String((environment as { image?: unknown })?.image ?? '');
  return { environment, label: labelOf(name.replace(/^.*\//, '')) };
}

/** File and flags put together and checked, defaults left to the workflow. Throws `InvalidInput` that names each field. */
export function buildInput(written: Written, environment: unknown, flags: BuildFlags): Written {
  const { only, tryAll, refiner, maxFunctions, seed, attempts, repairs, filters, coverage, mutation } = flags;
  const fields: Written = {
    ...{ environment, only, tryAll, refiner, maxFunctions, seed },
    concurrency: flags.parallel,
    casesPerFunction: flags.cases,
    attempts: withRepairs(attempts ?? (written.attempts as readonly Attempt[] | undefined), repairs),
    filters: filters === undefined ? undefined : resolveFilters(readFilterTable(filters)),
    gates:
      coverage === undefined && mutation === undefined
        ? undefined
        : {
            ...(written.gates as object | undefined),
            ...(coverage === undefined ? {} : { branchCoverage: coverage }),
            ...(mutation === undefined ? {} : { mutationScore: mutation }),
          },
  };
  const merged: Written = { ...written, ...given(fields) };
  parseInput<unknown>(FunctionProblemsInput, merged, 'problems');
  return merged;
}

/** Only models mend: what the built-in authors write is final. */
function withRepairs(attempts: readonly Attempt[] | undefined, repairs: number | undefined) {
  if (attempts === undefined || repairs === undefined) return attempts;
  return attempts.map((each) => (each.author.startsWith('builtin:') ? each : { ...each, repairs }));
}

/** Profiles that a build asks, built-in authors among them. */
export function profilesIn({ attempts, refiner }: Written): unknown[] {
  return [...((attempts ?? []) as readonly Attempt[]).map(({ author }) => author), refiner];
}

function labelOf(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^-+/, '') || 'image';
}

function refused(message: string, hint = 'See `pointsman problems build --help`.'): PointsmanError {
  return new PointsmanError('InvalidInput', message, hint);
}
