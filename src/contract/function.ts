import { z } from 'zod';

/** What a repository's Python source says of one function, and of what it depends on. Nothing here was ever run. */

/** First and last line, from 1, decorators included. */
export const Lines = z.tuple([z.int().min(1), z.int().min(1)]);
export type Lines = z.infer<typeof Lines>;

export const FunctionKind = z.enum(['function', 'method', 'classmethod', 'staticmethod']);
export type FunctionKind = z.infer<typeof FunctionKind>;

export const FunctionTarget = z.strictObject({
  /** Dotted name that it is imported by, like `humanize.time`. */
  module: z.string(),
  /** Name within the module: `precisedelta`, or `Headers.raw_items`. */
  name: z.string(),
  kind: FunctionKind,
  /** Relative to the repository. */
  file: z.string(),
  lines: Lines,
});
export type FunctionTarget = z.infer<typeof FunctionTarget>;

/** One top-level definition. A method stands for its class. */
const SliceItem = z.strictObject({
  kind: z.enum(['function', 'class', 'global']),
  module: z.string(),
  name: z.string(),
  file: z.string(),
  lines: Lines,
  outOfFile: z.boolean(),
});

/** Statement that runs when its module is imported and changes what an item of the slice holds. */
const ImportTimeEffect = z.strictObject({
  module: z.string(),
  file: z.string(),
  lines: Lines,
  /** Names of the items that it changes. */
  mutates: z.array(z.string()),
  text: z.string(),
});

/** A look-up that no reading of the source can follow, or that was widened so that nothing is missed. */
const Unresolved = z.strictObject({
  file: z.string(),
  line: z.int().min(1),
  /** The expression, as it stands there. */
  text: z.string(),
  why: z.string(),
});

/** All that a function needs, directly or not: the closure of *functions called* and *globals accessed* (R2E, eq. 1). */
export const Slice = z.strictObject({
  target: FunctionTarget,
  /** In the order in which they can be defined; the target's own definition is the last. */
  items: z.array(SliceItem),
  /** Import statements of packages from elsewhere that the items need, as source. */
  imports: z.array(z.string()),
  importTimeEffects: z.array(ImportTimeEffect),
  unresolved: z.array(Unresolved),
});
export type Slice = z.infer<typeof Slice>;

const Words = z.array(z.string().min(1)).nullable();

/**
 * Words and bounds that decide which functions are worth a problem, as users write them. A field that is missing is ours, `null`
 * switches its rule off, a list takes the place of ours, and a list of `+word` and `-word` extends and shrinks it.
 */
export const FilterTable = z
  .strictObject({
    /** Functions whose docstring holds one of these words are left out. */
    docstringWords: Words,
    /** Functions whose body names one of these are left out: what needs hardware, a cloud, a screen or a network. */
    bodyWords: Words,
    /** Beginnings of names that are left out. */
    namePrefixes: Words,
    requireDocstring: z.boolean(),
    /** Calls or uses something else that this repository defines. */
    requireDependency: z.boolean(),
    /** Takes at least one argument and gives something back. */
    requireInputAndOutput: z.boolean(),
    /** Decorators other than `staticmethod` and `classmethod` that are still taken. `null`: any. */
    decorators: Words,
    /** Lines of the body without its docstring. */
    minLines: z.int().min(1).nullable(),
    maxLines: z.int().min(1).nullable(),
    /** Glob patterns of files that are not looked at. */
    excludeFiles: Words,
  })
  .partial();
export type FilterTable = z.infer<typeof FilterTable>;

/** A table in which nothing is missing. */
export type FunctionFilters = Required<Omit<FilterTable, 'excludeFiles'>> & { readonly excludeFiles: string[] };

/** A function that was looked at: taken, or left out for a reason. */
export const ConsideredFunction = z.strictObject({
  target: FunctionTarget,
  /** Name of the first rule that left it out, null where it was taken. */
  rejectedBy: z.string().nullable(),
  why: z.string(),
});
export type ConsideredFunction = z.infer<typeof ConsideredFunction>;
