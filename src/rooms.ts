/**
 * The rooms of the house: what each holds and which others it may import. CONTRIBUTING.md shows this list, the architecture
 * test holds every import to it, and the bundle of workflow code is made of what it says.
 */
export interface Room {
  readonly holds: string;
  /** Rooms that it imports, a blank between two. */
  readonly imports: string;
  /** Rooms that it imports as types only: at run time they must not come along. */
  readonly types?: string;
  /** No I/O, no clock, no Temporal: a function of its arguments. */
  readonly pure?: true;
}

/** By folder or file, from `src` or, for packages, from the root. A file belongs to the longest that fits it. */
export const ROOMS: Readonly<Record<string, Room>> = {
  contract: {
    holds: 'schemas of every input, result, signal and query; the errors',
    imports: '',
    pure: true,
  },
  'packages/python': {
    holds: 'reading Python: syntax, names, call graph, slices: the package `@pointsman/python`',
    imports: '',
    pure: true,
  },
  rollout: {
    holds: 'the agent of a rollout: dialects, tools, prompts, hand-over, limits',
    imports: 'contract',
    pure: true,
  },
  setup: {
    holds: 'the playbook, experience units and their ranking, roles, verdicts, repositories read, test output read',
    imports: 'contract rollout setup/guest',
    pure: true,
  },
  'setup/guest': {
    holds: 'programs of set-ups that run in sandboxes, read once at load',
    imports: '',
  },
  problems: {
    holds: 'problem formats, patches, outcomes; equivalence tests, mutants, specifications',
    imports: 'contract rollout packages/python',
    pure: true,
  },
  grading: {
    holds: 'the judge: where a patch may reach, wrong expectations, reports of test runners, the verdict',
    imports: 'contract rollout setup problems packages/python',
    pure: true,
  },
  dataset: {
    holds: 'funnels, filters, masks, mixtures, exporters, the checker of training files',
    imports: 'contract rollout grading',
    pure: true,
  },
  analysis: {
    holds: 'statistics, covariate shift, failure categories',
    imports: 'contract rollout dataset',
    pure: true,
  },
  evaluation: {
    holds: 'PASS@k and self-repair: prompts, scores, summaries',
    imports: 'contract problems analysis packages/python',
    pure: true,
  },
  pages: {
    holds: 'what people see: HTML, charts, report, viewer; `viewer/client` runs in the browser',
    imports: 'contract rollout problems dataset analysis',
    pure: true,
  },
  'pages/viewer/server': {
    holds: 'serves the viewer on this machine, or writes it into one file',
    imports: 'contract home own-host pages store',
  },
  'cli/terminal': {
    holds: 'the same as text: tables, figures, trajectories, set-ups and results',
    imports: 'contract rollout setup dataset analysis evaluation pages',
    pure: true,
  },
  workflows: {
    holds: 'the algorithms, deterministic; they read like the papers. `durable/` is what has no subject',
    imports: 'contract rollout setup grading',
    types: 'activities environments sandbox',
  },
  activities: {
    holds: 'side effects: thin, retried, heartbeating; the same subjects as the workflows',
    imports:
      'contract rollout setup problems grading dataset analysis evaluation packages/python pages deps environments sources sandbox store payloads model config home roots activities/prompts',
  },
  'activities/prompts': {
    holds: 'prompt files, ours and those of profiles, read',
    imports: 'contract home rollout',
  },
  environments: {
    holds: 'environments built, problems assembled and patches judged in sandboxes; `harness/` runs equivalence tests',
    imports: 'contract rollout setup problems grading packages/python deps home roots sources sandbox store',
  },
  judge: {
    holds: 'the judge as one program, for containers of others: exported problems carry it',
    imports: 'contract environments grading sandbox store',
  },
  sources: {
    holds: 'sources of every kind fetched, verified, unpacked; their licence',
    imports: 'contract sandbox store roots',
  },
  sandbox: {
    holds: 'the interface of sandboxes and the programs that run in them',
    imports: 'contract sandbox/docker',
  },
  'sandbox/docker': {
    holds: 'sandboxes by the Docker engine; nothing else knows the engine',
    imports: 'contract sandbox',
  },
  payloads: {
    holds: 'what the Temporal server keeps, encrypted: the data converter of workers, clients and readers of histories',
    imports: 'contract config own-host',
  },
  store: {
    holds: 'blobs, ledgers, budgets, experience: interfaces, each with its local and its shared implementation',
    imports: 'contract setup model config home payloads roots',
  },
  model: {
    holds: 'model providers, prices, the rehearsal server',
    imports: 'contract rollout',
  },
  deps: {
    holds: 'what activities work with',
    imports: 'config sandbox store',
  },
  config: {
    holds: 'one file and the environment',
    imports: 'contract home',
  },
  home: {
    holds: 'where Pointsman keeps what it writes',
    imports: 'contract',
  },
  'own-host': {
    holds: 'whether a request was meant for a server of this machine',
    imports: '',
  },
  roots: {
    holds: 'which files of this host an input may name',
    imports: 'contract home',
  },
  rooms: {
    holds: 'this list',
    imports: '',
  },
  extend: {
    holds: '`pointsman/extend`: what packages of others add, and what they need for it',
    imports: 'contract rollout setup dataset sandbox',
    pure: true,
  },
  extensions: {
    holds: 'extensions of a configuration, compiled and made known',
    imports: 'contract dataset home sandbox extend activities/prompts',
  },
  machine: {
    holds: 'a machine made ready: provision, doctor, background processes, the bundle of workflow code',
    imports: 'contract config home own-host rooms sandbox',
  },
  serve: {
    holds: 'rollouts over HTTP, for trainers: names, waits, answers',
    imports: 'contract rollout dataset grading store config home own-host',
  },
  worker: {
    holds: 'the process: which task queues it serves, and its threads',
    imports: 'contract activities config deps extensions home machine payloads sandbox store',
  },
  main: {
    holds: 'the command line: its words of the first level, each loaded when it is used',
    imports: 'contract cli demo home',
  },
  index: {
    holds: "`import … from 'pointsman'`: what scripts start, steer and read",
    imports: 'contract cli extend pages sandbox',
  },
  cli: {
    holds: 'commands, thin over the Temporal client; one file or folder a noun',
    imports:
      'contract rollout setup problems dataset analysis evaluation packages/python pages pages/viewer/server cli/terminal environments store payloads model config home own-host machine serve worker roots activities/prompts extensions',
    types: 'workflows',
  },
  demo: {
    holds: 'the demonstration on real repositories',
    imports: 'contract rollout setup pages cli cli/terminal home machine',
    types: 'workflows',
  },
};

export function namesIn(rooms = ''): string[] {
  return rooms.split(' ').filter(Boolean);
}

/** Where a room is, from the root of the repository. */
export function folderOf(room: string): string {
  return room.startsWith('packages/') ? room : `src/${room}`;
}

/** The room of a file, by its path from the root of the repository; undefined for one that has none. */
export function roomOf(path: string): string | undefined {
  return Object.keys(ROOMS)
    .filter((room) => path === `${folderOf(room)}.ts` || path.startsWith(`${folderOf(room)}/`))
    .sort((a, b) => b.length - a.length)[0];
}

/** Rooms that the code of one room may hold at run time, itself among them. */
export function roomsWithin(room: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(room)) return found;
  found.add(room);
  for (const next of namesIn(ROOMS[room]?.imports)) roomsWithin(next, found);
  return found;
}
