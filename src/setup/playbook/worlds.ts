/**
 * A world: packages as they were on a day, except for those that are chosen apart. Tests that fail today may fail because of
 * what was published since; the tests of a release are its own only where they fail in the world of its day too.
 */
export interface World {
  /** Nothing that was published after this day (`2020-04-03`) is taken; empty: the packages of today. */
  readonly date: string;
  /** Versions of the test runner that are allowed (`<8`); empty: the newest. It is no part of the project's world. */
  readonly runner: string;
  /** Packages that may be newer than the date, each with the day up to which. */
  readonly newer: Readonly<Record<string, string>>;
  /** Condition on the Python (`<3.10`), or another interpreter by its name (`Node.js 0.10`); empty: the one at hand. */
  readonly interpreter: string;
}

/** What a run of the goal showed. */
export interface Outcome {
  readonly passed: number;
  /** Failed or broken. */
  readonly wrong: number;
  /** Decisive line of the first error. */
  readonly first: string;
  readonly output: string;
}

/** A world that was made and tried. */
export interface WorldTrial {
  readonly world: World;
  /** No rollback took it back. */
  readonly stands: boolean;
  /** It was chosen for having helped another repository. */
  readonly taught?: boolean;
  /** Null where it could not be made, or was stopped. */
  readonly outcome: Outcome | null;
  /** What making it printed: the day on a line `today: 2026-11-26`, and `NAME==VERSION` of what is there then. */
  readonly made: string;
}

export interface Search {
  /** Day of the release. */
  readonly date: string;
  /** How things stood before any world was tried. */
  readonly base: Outcome;
  readonly trials: readonly WorldTrial[];
  /** The distribution that runs the tests, where it is chosen apart. */
  readonly runner: string | null;
  /** Condition on an interpreter of that day, where the one at hand is newer and another can be had. */
  readonly interpreter: string | null;
}

/** Runs of the tests that each kind of choice is worth. */
const MOST_RUNNERS = 4;
const MOST_MOVED = 4;

/** Seconds that all runs of the tests together may take: past them another world is dearer than what it may tell. */
const MOST_SECONDS = 1200;

/** What the runs took, as their own last lines say, and what one more would. */
function secondsOf({ base, trials }: Search): number {
  const runs = [base, ...trials.flatMap(({ outcome }) => outcome ?? [])].map(({ output }) => {
    const said = [...output.matchAll(/\bin (\d+(?:\.\d+)?) ?s(?:econds)?\b/g)].at(-1)?.[1];
    return Number(said ?? 0);
  });
  return runs.reduce((sum, each) => sum + each, 0) + (runs.at(-1) ?? 0);
}

/** Whether things are better than they were: more passes, or as much with less that is wrong, or another error in the way of all. */
export function isBetter(now: Outcome, before: Outcome): boolean {
  if (now.passed !== before.passed) return now.passed > before.passed;
  if (now.passed > 0) return now.wrong < before.wrong;
  return now.first !== before.first || (now.wrong > 0 && now.wrong < before.wrong);
}

/** Whether they are worse: fewer tests pass, or none runs any more. */
export function isWorse(now: Outcome, before: Outcome): boolean {
  return now.passed < before.passed || (before.passed + before.wrong > 0 && now.passed + now.wrong === 0);
}

/** What another repository's world had chosen apart from its day, and the unit of experience that says so. */
export interface Lesson extends Pick<World, 'runner' | 'newer'> {
  readonly unit: string;
}

/** The first world that a lesson tells of and nobody has tried, as of this repository's own day. */
export function taughtWorld(
  { date, trials }: Pick<Search, 'date' | 'trials'>,
  lessons: readonly Lesson[],
): { readonly world: World; readonly unit: string } | null {
  for (const { unit, runner, newer } of lessons) {
    const later = Object.entries(newer).filter(([, until]) => until === '' || until > date);
    const world = { date, runner, newer: Object.fromEntries(later), interpreter: '' };
    if (!wasTried(world, trials)) return { world, unit };
  }
  return null;
}

const isOther = (one: Outcome, other: Outcome) =>
  one.passed !== other.passed || one.wrong !== other.wrong || one.first !== other.first;

/**
 * The next world to try, null where none is left that an engineer would: all packages as of the release's day; the test
 * runner apart from them, newest first; then single packages that the error names, between that day and today, newest
 * first; last an interpreter of that day, with other runners again where no test passes. A world that was taught changes none
 * of that: it was tried already when its turn comes.
 */
export function nextWorld(search: Search): World | null {
  const taught = search.trials.filter((trial) => trial.taught);
  for (let trials = search.trials.filter((trial) => !trial.taught); ; ) {
    const world = nextInTurn({ ...search, trials });
    const known = world && taught.find((trial) => worldKey(trial.world) === worldKey(world));
    if (!known) return world;
    trials = [...trials, known];
  }
}

function nextInTurn(search: Search): World | null {
  const { date, trials } = search;
  const last = trials.at(-1);
  if (!last) return { date, runner: '', newer: {}, interpreter: '' };
  if (secondsOf(search) > MOST_SECONDS) return null;
  return unmakeable(last, trials) ?? otherRunner(search) ?? moved(search) ?? otherInterpreter(search);
}

/** The best of what was tried: most passed, then fewest wrong, then the one that was tried first, which is the newest. Null: none beats the base. */
export function bestOf({ base, trials }: Pick<Search, 'base' | 'trials'>): WorldTrial | null {
  let best: { trial: WorldTrial | null; outcome: Outcome } = { trial: null, outcome: base };
  for (const trial of trials) {
    if (trial.outcome && isBetter(trial.outcome, best.outcome)) best = { trial, outcome: trial.outcome };
  }
  return best.trial;
}

/** A package that cannot be had as of that day, because it has no build for this interpreter, say, is taken newer. */
function unmakeable({ world, outcome, made }: WorldTrial, trials: readonly WorldTrial[]): World | null {
  if (outcome !== null || movedIn(trials) >= MOST_MOVED) return null;
  const name = notToBeHad(made);
  return name === null || name in world.newer ? null : { ...world, newer: { ...world.newer, [name]: '' } };
}

const movedIn = (trials: readonly WorldTrial[]) =>
  new Set(trials.flatMap(({ world }) => Object.entries(world.newer).map((each) => each.join('@')))).size;

/** The distribution that an installer says it could not bring; null where it names none. */
function notToBeHad(output: string): string | null {
  for (const pattern of NOT_BROUGHT) {
    const name = pattern.exec(output)?.[1];
    if (name) return name.toLowerCase().replace(/[-_.]+/g, '-');
  }
  return null;
}

/** How installers say which distribution they cannot bring: for want of a version, of a build, or of anything. */
export const NOT_BROUGHT: readonly RegExp[] = [
  /Failed to (?:build|download(?: and build)?|fetch)(?: and build)? `([A-Za-z][\w.-]*)==/,
  /Failed building (?:wheel|editable) for ([A-Za-z][\w.-]*)/,
  /No matching distribution found for ([A-Za-z][\w.-]*?)(?:\[[^\]]*\])?(?:[=<>!~ ;]|$)/m,
  /there (?:is|are) no versions? of ([A-Za-z][\w.-]*?)(?:\[[^\]]*\])?[=<>!~ ]/,
  /(?<![\w.-])([A-Za-z][\w.-]{0,200}) was not found in the package registry/,
  /only ([A-Za-z][\w.-]*?)(?:\[[^\]]*\])?[=<>]\S* is available/,
  /(?<![\w.-])([A-Za-z][\w.-]{0,200}?)[=<>]\S{0,100} (?:has no (?:usable )?wheels|needs to be built from source|depends on Python)/,
];

/**
 * The runner of the day may not know this interpreter, and today's may not know what the tests say to it. With an interpreter of
 * the day, where no test passes yet: a project that is a part of its runner goes with none that is newer.
 */
function otherRunner({ base, trials, runner }: Search): World | null {
  if (runner === null) return null;
  const last = trials.at(-1)!;
  const { interpreter } = last.world;
  const rungs = trials.filter(({ world }) => world.interpreter === interpreter);
  if (new Set(rungs.map(({ world }) => world.runner)).size >= MOST_RUNNERS) return null;
  if (last.outcome === null || (interpreter !== '' && last.outcome.passed > 0)) return null;
  const before = rungs.findLast(({ world, outcome }) => outcome && world.runner !== last.world.runner)?.outcome ?? base;
  // What was worse with an older one gets no better with one that is older still.
  if (last.world.runner !== '' && isWorse(last.outcome, before)) return null;
  if (Object.values(last.world.newer).some((until) => until !== '')) return null;
  const version = new RegExp(`(?<![\\w-])${runner}==(\\d+)`).exec(last.made)?.[1];
  if (version === undefined || Number(version) < 2) return null;
  const older = { ...last.world, runner: `<${version}` };
  return wasTried(older, trials) ? null : older;
}

/** A package in whose code the tests break may be too old for this interpreter. */
function moved(search: Search): World | null {
  const { date, trials } = search;
  const best = bestOf(search);
  if (!best?.outcome || movedIn(trials) >= MOST_MOVED) return null;
  const name = blamed(best.outcome.output, search.runner);
  if (name === null || best.world.newer[name] === '') return null;
  const tried = trials.flatMap(({ world }) => (name in world.newer ? [world.newer[name]!] : []));
  if (tried.length === 0) return { ...best.world, newer: { ...best.world.newer, [name]: '' } };
  const ofToday = trials.find(({ world }) => world.newer[name] === '')?.outcome;
  // What fails with that of today just as with that of the day fails with all between.
  if (ofToday && !isOther(ofToday, best.outcome)) return null;
  const newest = tried.at(-1) || /^today: (\d{4}-\d\d-\d\d)$/m.exec(best.made)?.[1];
  if (newest === undefined) return null;
  const until = halfway(date, newest);
  if (until === date || tried.includes(until)) return null;
  return { ...best.world, newer: { ...best.world.newer, [name]: until } };
}

/** Where a traceback ends in a package's own code, or an import names a package that lacks what is asked of it. */
function blamed(output: string, runner: string | null): string | null {
  const ends = output.matchAll(
    /(?:site-packages\/([A-Za-z]\w{0,100})[/.][^\n]{0,500}\n(?:[ >][^\n]{0,500}\n){0,4}(?:E {1,9})?\w{0,60}Error\b|Error:[^\n]{0,500}site-packages\/([A-Za-z]\w{0,100})[/.])/g,
  );
  const own = new Set(['pytest', 'pluggy', 'py', runner]);
  const names = [...ends].map((found) => found[1] ?? found[2]!).filter((name) => !own.has(name));
  return names[0]?.toLowerCase().replaceAll('_', '-') ?? null;
}

function halfway(from: string, to: string): string {
  const middle = (Date.parse(from) + Date.parse(to)) / 2;
  return new Date(middle).toISOString().slice(0, 10);
}

function otherInterpreter(search: Search): World | null {
  const { interpreter, trials } = search;
  if (interpreter === null || trials.some(({ world }) => world.interpreter === interpreter)) return null;
  const { world } = bestOf(search) ?? trials[0]!;
  return { ...world, interpreter };
}

const wasTried = (world: World, trials: readonly WorldTrial[]) =>
  trials.some((trial) => worldKey(trial.world) === worldKey(world));

/** A world as one word of a step's mark. */
export function worldKey({ date, runner, newer, interpreter }: World): string {
  const moves = Object.entries(newer).map(([name, until]) => `${name}=${until}`);
  return ['world', date, runner, interpreter, ...moves].join(':');
}

/** The same read back; null for a word that is none. */
export function worldOf(key: string): World | null {
  const [word, date, runner = '', interpreter = '', ...moves] = key.split(':');
  if (word !== 'world' || date === undefined) return null;
  const newer = Object.fromEntries(moves.map((each) => each.split('=') as [string, string]));
  return { date, runner, newer, interpreter };
}

/** A world in words: what was pinned, and why. */
export function describeWorld({ date, runner, newer, interpreter }: World, program = 'pytest'): string {
  const apart = [
    ...(runner ? [`${program}${runner}, the newest that its tests go with`] : []),
    ...Object.entries(newer).map(([name, until]) =>
      until === '' ? `${name} as of today, as that of the day cannot be used` : `${name} as of ${until}`,
    ),
    ...(interpreter ? [`a ${/^\w/.test(interpreter) ? '' : 'Python '}${interpreter}, as there was then`] : []),
  ];
  return [`packages as of ${date || 'today'}`, ...apart].join('; ');
}
