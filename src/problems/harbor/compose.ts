import { posix } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseInput } from '../../contract/parse';
import type { ProblemService, TestFile } from '../../contract/problem';
import { digestOf, filesBelow, REPOSITORY, refused, type TaskFile } from './files';

const Text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** A text is run by a shell, a list is not. */
const Command = z.union([z.string(), z.array(Text)]);
const Variables = z.union([
  z.record(z.string(), Text.nullable()),
  z
    .array(z.string())
    .transform((all) => Object.fromEntries(all.map((each) => split(each, '=')).map(([name, value]) => [name, value]))),
]);
const Build = z.union([
  z.string().transform((context) => ({ context, dockerfile: 'Dockerfile' })),
  z.strictObject({ context: z.string().default('.'), dockerfile: z.string().default('Dockerfile') }),
]);

const Service = z.object({
  image: z.string().optional(),
  build: Build.optional(),
  command: Command.optional(),
  entrypoint: Command.optional(),
  environment: Variables.optional(),
  working_dir: z.string().optional(),
  user: Text.optional(),
  expose: z.array(Text).default([]),
  ports: z.array(z.union([Text, z.looseObject({ target: Text })])).default([]),
  depends_on: z
    .union([
      z.array(z.string()),
      z
        .record(
          z.string(),
          z
            .looseObject({ condition: z.string().optional() })
            .refine(
              ({ condition }) => condition !== 'service_completed_successfully',
              'has to end, as no service here does',
            ),
        )
        .transform(Object.keys),
    ])
    .default([]),
  healthcheck: z.looseObject({ test: Command.optional(), disable: z.boolean().optional() }).optional(),
});
type Service = z.infer<typeof Service>;

const File = z.looseObject({ services: z.record(z.string(), z.unknown()).default({}) });

/** Says how a service is kept running, and nothing of what it does. */
const ALIKE = [
  ...['restart', 'init', 'hostname', 'container_name', 'labels', 'pull_policy', 'platform', 'stop_grace_period'],
  ...['deploy', 'mem_limit', 'cpus', 'logging', 'stdin_open', 'tty', 'shm_size'],
];

/** The service that Harbor calls the agent's own. */
const MAIN = 'main';

export interface Composed {
  /** Each behind those that it depends on. */
  readonly services: ProblemService[];
  /** Of the agent's container, where it is said. */
  readonly workdir?: string | undefined;
  /** Variables of the agent's container. */
  readonly variables: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

/** The parser's time grows with the square of some texts. */
const MOST_CHARACTERS = 16 << 10;
const MOST_BRACKETS = 100;
/** That each begin a level, in one line. */
const MOST_SIGNS = 8;

/**
 * Whether it might be nested some hundred levels deep: the parser reads each level within the one around it, and between 600
 * and 900 the stack ends, where V8 may end the process and throw nothing. Signs are counted wherever they stand, since a
 * bracket in quotes would hide one that opens; more levels than these, by indentation, need more characters than are read.
 */
function mayBeDeep(text: string): boolean {
  return (
    text.split(/[[{]/).length > MOST_BRACKETS + 1 ||
    text.split('\n').some((line) => line.split(/[-?:]\s/).length > MOST_SIGNS + 1)
  );
}

/** Services of `environment/docker-compose.yaml`. Throws `InvalidInput` that names what has no equal here. */
export function servicesOf(text: string, files: ReadonlyMap<string, TaskFile>): Composed {
  if (text.length > MOST_CHARACTERS) throw refused(`docker-compose.yaml: more than ${MOST_CHARACTERS} characters`);
  if (mayBeDeep(text)) {
    throw refused(
      `docker-compose.yaml: more than ${MOST_BRACKETS} lists or mappings in brackets, or ${MOST_SIGNS} levels in a line`,
    );
  }
  let document: unknown;
  try {
    document = parse(text, { merge: true });
  } catch (error) {
    throw refused(`docker-compose.yaml: ${(error as Error).message.split('\n')[0]}`);
  }
  const { services: given, ...others } = parseInput(File, document, 'docker-compose.yaml');
  const beside = Object.keys(others).find((key) => key !== 'version' && key !== 'name' && !key.startsWith('x-'));
  if (beside) throw refused(`docker-compose.yaml: ${beside} have no equal here`);
  const read = Object.entries(given).map(([name, value]) => [name, serviceOf(name, value)] as const);
  const main = read.find(([name]) => name === MAIN)?.[1];
  if (main?.entrypoint !== undefined || (main?.image ?? '${').indexOf('${') < 0)
    throw refused('docker-compose.yaml: main has an image or an entrypoint of its own');
  const siblings = new Map(read.filter(([name]) => name !== MAIN));
  return {
    services: inOrder(siblings).map(([name, service]) => sibling(name, service, files)),
    workdir: main?.working_dir,
    variables: variablesOf(MAIN, main?.environment),
    notes: read.flatMap(([name, { ports }]) =>
      ports.length > 0 ? [`ports of ${name} are reached from the sandbox, not from this machine`] : [],
    ),
  };
}

/** What Harbor mounts of itself, as older tasks write it. */
const LOGS = /^\$\{HOST_\w+_PATH\}:/;

function serviceOf(name: string, given: unknown): Service {
  const fields = z.record(z.string(), z.unknown()).safeParse(given).data ?? {};
  const { volumes, ...others } = fields;
  const own = Array.isArray(volumes) && volumes.every((each) => typeof each === 'string' && LOGS.test(each));
  const value = name === MAIN && own ? others : fields;
  const known = [...Object.keys(Service.shape), ...ALIKE];
  const odd = Object.keys(value).find((key) => !known.includes(key));
  if (odd) throw refused(`docker-compose.yaml: ${odd} of ${name} has no equal here`);
  return parseInput(Service, value, `docker-compose.yaml: ${name}`);
}

/** Those that others depend on first. */
function inOrder(services: ReadonlyMap<string, Service>): [string, Service][] {
  const done = new Map<string, Service>();
  const visit = (name: string, by: readonly string[]): void => {
    if (done.has(name)) return;
    const service = services.get(name);
    if (!service) throw refused(`docker-compose.yaml: ${by.at(-1)} depends on ${name}, which it cannot`);
    if (by.includes(name)) throw refused(`docker-compose.yaml: ${name} depends on itself`);
    for (const other of service.depends_on) visit(other, [...by, name]);
    done.set(name, service);
  };
  for (const name of services.keys()) visit(name, []);
  return [...done];
}

function sibling(name: string, service: Service, files: ReadonlyMap<string, TaskFile>): ProblemService {
  const build = buildOf(name, service, files);
  if (!build && service.image === undefined) throw refused(`docker-compose.yaml: ${name} has neither image nor build`);
  const port = [...service.expose, ...service.ports.map((each) => (typeof each === 'string' ? each : each.target))]
    .map((each) => Number.parseInt(each.split('/')[0]!.split(':').at(-1)!, 10))
    .find((each) => each > 0 && each < 65536);
  return {
    name,
    kind: 'container',
    image: build ? `${REPOSITORY}:${digestOf(build)}` : service.image,
    packages: [],
    ...(port === undefined ? {} : { port }),
    health: healthOf(service) ?? (port === undefined ? 'true' : undefined),
    env: { ...variablesOf(name, service.environment) },
    ...(build ? { build: { files: build } } : {}),
  };
}

/** Its own Dockerfile, with what the service says of it behind that: so its image is all that there is of it. */
function buildOf(
  name: string,
  { build, image, command, entrypoint, working_dir, user }: Service,
  files: ReadonlyMap<string, TaskFile>,
): TestFile[] | undefined {
  const said = [
    ...(working_dir === undefined ? [] : [`WORKDIR ${working_dir}`]),
    ...(user === undefined ? [] : [`USER ${user}`]),
    ...(entrypoint === undefined ? [] : [`ENTRYPOINT ${instruction(name, entrypoint)}`]),
    ...(command === undefined ? [] : [`CMD ${instruction(name, command)}`]),
  ];
  if (!build)
    return said.length === 0 ? undefined : [{ path: 'Dockerfile', content: `FROM ${image}\n${said.join('\n')}\n` }];
  const context = posix.normalize(build.context).replace(/\/$/, '');
  if (context.startsWith('..') || context.startsWith('/') || context.includes('$'))
    throw refused(`docker-compose.yaml: ${name} is built from ${build.context}, outside of environment/`);
  const all = filesBelow(files, posix.join('environment', context));
  const own = all.find(({ path }) => path === posix.normalize(build.dockerfile));
  if (!own || typeof own.content !== 'string')
    throw refused(`docker-compose.yaml: ${name}: there is no ${posix.join(context, build.dockerfile)}`);
  const dockerfile = [own.content.trimEnd(), ...said, ''].join('\n');
  return [
    { path: 'Dockerfile', content: dockerfile },
    ...all.filter((each) => each !== own && each.path !== 'Dockerfile'),
  ];
}

const instruction = (name: string, command: z.infer<typeof Command>): string =>
  typeof command === 'string'
    ? JSON.stringify(['sh', '-c', plain(name, command)])
    : JSON.stringify(command.map((word) => plain(name, word)));

function healthOf({ healthcheck }: Service): string | undefined {
  const test = healthcheck?.disable ? undefined : healthcheck?.test;
  if (test === undefined) return undefined;
  if (typeof test === 'string') return plain('healthcheck', test);
  const [how, ...words] = test.map((word) => plain('healthcheck', word));
  if (how === 'NONE') return undefined;
  return how === 'CMD-SHELL' ? words.join(' ') : words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

function variablesOf(name: string, variables: z.infer<typeof Variables> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([key, value]) => {
      if (value === null) throw refused(`docker-compose.yaml: ${name}: ${key} is read from the host's environment`);
      return [key, plain(name, value)];
    }),
  );
}

/** `$$` is a dollar sign; a variable is the host's, of which nothing is asked. */
function plain(name: string, text: string): string {
  if (/(^|[^$])(\$\$)*\$[A-Za-z_{]/.test(text))
    throw refused(`docker-compose.yaml: ${name}: ${text.slice(0, 60)} is read from the host's environment`);
  return text.replaceAll('$$', '$');
}

function split(text: string, at: string): [string, string | null] {
  const place = text.indexOf(at);
  return place < 0 ? [text, null] : [text.slice(0, place), text.slice(place + 1)];
}
