/**
 * The rooms of the house: what each holds and which others it may import. CONTRIBUTING.md shows this list, the architecture
 * test holds every import to it, and the bundle of workflow code is made of what it says.
 */
export interface Room {
  readonly holds: string;
  /** Rooms that it imports. */
  readonly imports: readonly string[];
  /** Rooms that it imports as types only: at run time they must not come along. */
  readonly types?: readonly string[];
  /** No I/O, no clock, no Temporal: a function of its arguments. */
  readonly pure?: true;
}

/** By folder or file, from the root of the repository. A file belongs to the longest that fits it. */
export const ROOMS: Readonly<Record<string, Room>> = {
  'src/contract': {
    holds: 'schemas of every input, result, signal and query; the errors',
    imports: [],
    pure: true,
  },
  'packages/python': {
    holds: 'reading Python: syntax, names, call graph, slices: the package `@pointsman/python`',
    imports: [],
    pure: true,
  },
  'src/rollout': {
    holds: 'the agent of a rollout: dialects, tools, prompts, hand-over, limits',
    imports: ['src/contract'],
    pure: true,
  },
  'src/setup': {
    holds: 'the playbook, experience units and their ranking, roles, verdicts, repositories read, test output read',
    imports: ['src/contract', 'src/rollout', 'src/setup/guest'],
    pure: true,
  },
  'src/setup/guest': { holds: 'programs of set-ups that run in sandboxes, read once at load', imports: [] },
  'src/problems': {
    holds: 'problem formats, patches, outcomes and their evidence; equivalence tests, mutants, specifications',
    imports: ['src/contract', 'packages/python'],
    pure: true,
  },
  'src/dataset': {
    holds: 'funnels, filters, masks, mixtures, exporters, the checker of training files',
    imports: ['src/contract', 'src/rollout'],
    pure: true,
  },
  'src/analysis': {
    holds: 'statistics, covariate shift, failure categories',
    imports: ['src/contract', 'src/rollout', 'src/dataset'],
    pure: true,
  },
  'src/evaluation': {
    holds: 'PASS@k and self-repair: prompts, scores, summaries',
    imports: ['src/contract', 'src/problems', 'src/analysis', 'packages/python'],
    pure: true,
  },
  'src/pages': {
    holds: 'what people see: HTML, charts, report, viewer; `viewer/client` runs in the browser',
    imports: ['src/contract', 'src/rollout', 'src/problems', 'src/dataset', 'src/analysis'],
    pure: true,
  },
  'src/pages/viewer/server': {
    holds: 'serves the viewer on this machine, or writes it into one file',
    imports: ['src/contract', 'src/pages', 'src/store'],
  },
  'src/cli/terminal': {
    holds: 'the same as text: tables, figures, trajectories, set-ups and results',
    imports: ['src/contract', 'src/rollout', 'src/setup', 'src/dataset', 'src/analysis', 'src/evaluation', 'src/pages'],
    pure: true,
  },
  'src/workflows': {
    holds: 'the algorithms, deterministic; they read like the papers. `durable/` is what has no subject',
    imports: ['src/contract', 'src/rollout', 'src/setup'],
    types: ['src/activities', 'src/sandbox'],
  },
  'src/activities': {
    holds: 'side effects: thin, retried, heartbeating; the same subjects as the workflows',
    imports: [
      'src/contract',
      'src/rollout',
      'src/setup',
      'src/problems',
      'src/dataset',
      'src/analysis',
      'src/evaluation',
      'packages/python',
      'src/pages',
      'src/deps',
      'src/grading',
      'src/sources',
      'src/sandbox',
      'src/store',
      'src/model',
      'src/config',
      'src/home',
    ],
  },
  'src/grading': {
    holds: 'environments built and candidates judged in sandboxes; `harness/` runs equivalence tests',
    imports: [
      'src/contract',
      'src/setup',
      'src/problems',
      'packages/python',
      'src/deps',
      'src/sources',
      'src/sandbox',
      'src/store',
    ],
  },
  'src/sources': {
    holds: 'sources of every kind fetched, verified, unpacked; their licence',
    imports: ['src/contract', 'src/sandbox', 'src/store'],
  },
  'src/sandbox': {
    holds: 'the interface of sandboxes and the programs that run in them',
    imports: ['src/contract', 'src/sandbox/docker'],
  },
  'src/sandbox/docker': {
    holds: 'sandboxes by the Docker engine; nothing else knows the engine',
    imports: ['src/contract', 'src/sandbox'],
  },
  'src/store': {
    holds: 'blobs, ledgers, budgets, experience: interfaces, each with its local implementation',
    imports: ['src/contract', 'src/setup', 'src/model', 'src/config', 'src/home'],
  },
  'src/model': {
    holds: 'model providers, prices, the rehearsal server',
    imports: ['src/contract', 'src/rollout'],
  },
  'src/deps': {
    holds: 'what activities work with',
    imports: ['src/config', 'src/sandbox', 'src/store'],
  },
  'src/config': { holds: 'one file and the environment', imports: ['src/contract', 'src/home'] },
  'src/home': { holds: 'where Pointsman keeps what it writes', imports: [] },
  'src/rooms': { holds: 'this list', imports: [] },
  'src/machine': {
    holds: 'a machine made ready: provision, doctor, background processes, the bundle of workflow code',
    imports: ['src/contract', 'src/config', 'src/home', 'src/rooms', 'src/sandbox'],
  },
  'src/worker': {
    holds: 'the process: which task queues it serves',
    imports: ['src/contract', 'src/activities', 'src/config', 'src/deps', 'src/machine', 'src/sandbox', 'src/store'],
  },
  'src/cli': {
    holds: 'commands, thin over the Temporal client; one file or folder a noun',
    imports: [
      'src/contract',
      'src/rollout',
      'src/setup',
      'src/problems',
      'src/dataset',
      'src/analysis',
      'src/evaluation',
      'packages/python',
      'src/pages',
      'src/pages/viewer/server',
      'src/cli/terminal',
      'src/grading',
      'src/store',
      'src/model',
      'src/config',
      'src/home',
      'src/machine',
      'src/worker',
    ],
    types: ['src/workflows'],
  },
  'src/demo': {
    holds: 'the demonstration on real repositories',
    imports: ['src/contract', 'src/setup', 'src/pages', 'src/cli', 'src/cli/terminal', 'src/home', 'src/machine'],
    types: ['src/workflows'],
  },
};

/** The room of a file, by its path from the root of the repository; undefined for one that has none. */
export function roomOf(path: string): string | undefined {
  return Object.keys(ROOMS)
    .filter((room) => path === `${room}.ts` || path.startsWith(`${room}/`))
    .sort((a, b) => b.length - a.length)[0];
}

/** Rooms that the code of one room may hold at run time, itself among them. */
export function roomsWithin(room: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(room)) return found;
  found.add(room);
  for (const next of ROOMS[room]?.imports ?? []) roomsWithin(next, found);
  return found;
}
