import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const SRC = resolve(__dirname, '../src');
const PURE = ['contract', 'agent', 'problems', 'setup', 'dataset', 'analysis', 'view', 'page'];

/** Which rooms a room may import. A room that is not named here fails the test: say what it is for first. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  agent: ['contract'],
  problems: ['contract'],
  setup: ['contract', 'agent'],
  dataset: ['contract', 'agent'],
  analysis: ['contract', 'agent', 'dataset'],
  view: ['contract', 'agent', 'setup', 'dataset', 'analysis'],
  page: ['contract', 'agent', 'problems', 'analysis', 'dataset', 'view'],
  viewer: ['contract', 'page', 'store'],
  store: ['contract', 'config', 'home', 'model', 'setup'],
  model: ['contract'],
  sandbox: ['contract'],
  sources: ['contract', 'sandbox', 'store'],
  history: ['contract'],
  environment: ['contract', 'sandbox', 'setup', 'sources', 'store'],
  home: [],
  ports: [],
  config: ['contract', 'home'],
  provision: ['contract', 'sandbox', 'config', 'home', 'ports'],
  grading: ['contract', 'problems', 'sandbox', 'sources', 'store', 'harness', 'activities'],
  harness: ['contract', 'problems', 'sandbox', 'store'],
  activities: [
    'contract',
    'agent',
    'problems',
    'setup',
    'dataset',
    'analysis',
    'page',
    'store',
    'model',
    'sandbox',
    'sources',
    'environment',
    'grading',
    'harness',
    'config',
    'history',
  ],
  workflows: ['contract', 'agent', 'problems', 'setup', 'dataset', 'analysis', 'activities', 'sandbox'],
  worker: ['contract', 'activities', 'config', 'home', 'ports', 'store', 'model', 'sandbox', 'workflows'],
  local: ['contract', 'provision', 'home'],
  cli: [
    'contract',
    'agent',
    'problems',
    'setup',
    'dataset',
    'analysis',
    'page',
    'harness',
    'store',
    'model',
    'sandbox',
    'config',
    'provision',
    'local',
    'view',
    'viewer',
    'worker',
    'home',
    'ports',
    'history',
    'environment',
  ],
  demo: ['contract', 'setup', 'cli', 'local', 'home', 'ports', 'view', 'workflows'],
};
/** Imported as types only: at run time a workflow bundle must not hold them, and a command line needs no workflow code. */
const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = {
  workflows: ['activities', 'sandbox'],
  grading: ['activities'],
  cli: ['sandbox', 'workflows'],
  demo: ['workflows'],
};

interface Import {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const roomOf = (path: string) => relative(SRC, path).split(/[/.]/)[0]!;
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(SRC, name));
const statements = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'/gm)].map(
    ([, type, target]) => ({ file, target: target!, typeOnly: type !== undefined }),
  ),
);
const between: Import[] = statements
  .filter(({ target }) => target.startsWith('.'))
  .map(({ file, target, typeOnly }) => ({
    file: relative(SRC, file),
    from: roomOf(file),
    to: roomOf(resolve(dirname(file), target)),
    typeOnly,
  }))
  .filter(({ from, to }) => from !== to);

test('imports point one way: every arrow between rooms is one that the design allows', () => {
  const wrong = between.filter(({ from, to, typeOnly }) => {
    if (TYPES_ONLY[from]?.includes(to)) return !typeOnly;
    return !ALLOWED[from]?.includes(to);
  });
  expect(wrong).toEqual([]);
});

test('pure rooms import neither Temporal nor Docker nor what Node does outside of the process', () => {
  const wrong = statements
    .filter(
      ({ file, target }) =>
        PURE.includes(roomOf(file)) &&
        // Reads the programs that run in sandboxes, once, at load.
        relative(SRC, file) !== 'setup/guest/index.ts' &&
        /^(node:(?!crypto$|util$)|@temporalio|dockerode|openai|pino)/.test(target),
    )
    .map(({ file, target }) => `${relative(SRC, file)}: ${target}`);
  expect(wrong).toEqual([]);
});

test('one folder knows the engine of sandboxes: everything else uses the interface', () => {
  const inside = (file: string) => relative(SRC, file).startsWith('sandbox/docker/');
  const wrong = statements
    .filter(({ file, target }) => !inside(file) && /^dockerode$|sandbox\/docker\//.test(target))
    .map(({ file, target }) => `${relative(SRC, file)}: ${target}`);
  expect(wrong).toEqual([]);
});

test('no file is named after nothing', () => {
  expect(
    files
      .map((file) => relative(SRC, file))
      .filter((file) => /(^|\/)(utils?|helpers?|misc|common)(\.ts|\/)/.test(file)),
  ).toEqual([]);
});
