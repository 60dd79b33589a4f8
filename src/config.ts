import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  type Endpoint,
  ModelProfile,
  nearest,
  PointsmanError,
  ProfileName,
  parseInput,
  ServerAddress,
  VariableName,
} from './contract';
import { pointsmanHome, REPOSITORY } from './home';

const PLACE =
  /^(?:[A-Za-z0-9._-]+(?::\d{1,5})?|[\d.]+\/\d{1,2}|[0-9a-fA-F:]+(?:\/\d{1,3})?|\[[0-9a-fA-F:]+\](?::\d{1,5})?)$/;

/** A bucket of a server that speaks S3. Keys come from the environment, as all tools of S3 read them. */
const S3Place = z.strictObject({
  bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,62}$/, 'the name of a bucket'),
  /** Address of the server; without it, AWS. */
  endpoint: ServerAddress.optional(),
  region: z.string().min(1).default('us-east-1'),
  /** What all names in it begin with, for a bucket that holds other things too. */
  prefix: z
    .string()
    .regex(/^(?:[A-Za-z0-9._-]+\/)*$/, 'folders, each with a slash behind it, like pointsman/')
    .default(''),
  /** The bucket in the path, not in the host's name. Default: where an endpoint is given. */
  pathStyle: z.boolean().optional(),
});
export type S3Place = z.infer<typeof S3Place>;

/** One file and the environment. Secrets are never in it: profiles name the variables that hold them. */
export const Config = z.strictObject({
  /** Files of yours that add dialects, tools, policies, formats, languages or backends, from the folder of this file (docs/extending.md). */
  extensions: z.array(z.string().min(1)).default([]),
  profiles: z.record(ProfileName, ModelProfile).default({}),
  /** Gateways of trainers: what a rollout's input may name in place of where a profile's model is. */
  endpoints: z
    .array(
      z.strictObject({
        /** Inputs may name it and any address below its path. */
        baseUrl: ServerAddress,
        /** Also on other ports of that host, for gateways that take a free one. */
        anyPort: z.boolean().default(false),
        /** Environment variables whose keys an input may have sent there. */
        keys: z.array(VariableName).default([]),
      }),
    )
    .default([]),
  worker: z
    .strictObject({
      /** Stable name of this host: its sandboxes are found again under it after a restart. */
      host: z
        .string()
        .regex(/^[A-Za-z0-9._-]+$/)
        .optional(),
      /**
       * No other host serves this task queue: commands are then taken from the workflow's own queue, which is quicker. The
       * local services set it (POINTSMAN_ONLY_HOST=1); a fleet must not.
       */
      onlyHost: z.boolean().default(false),
      /**
       * Places for containers of every kind on this host: a sandbox takes one for each 4 GiB or 2 processors that it may use, a
       * set-up keeps one more for its checks. Work that finds none stays in the task queue.
       */
      sandboxes: z.int().min(1).default(16),
      /** Free GiB on the engine's disk below which this host takes no new work. */
      freeDiskGiB: z.number().min(0).default(5),
      /** Minutes between two sweeps of what killed runs left on this host, which its worker schedules; 0 for none. */
      janitorMinutes: z.number().min(0).default(5),
      /** `HOST:PORT` of the Prometheus endpoint. */
      metrics: z.string().optional(),
      /**
       * `DEPLOYMENT.BUILD`: this worker takes only runs that began on this build, and those that begin while it is the current
       * one (POINTSMAN_DEPLOYMENT). For fleets that are upgraded while runs go on; without it a run goes on wherever it may.
       */
      deployment: z
        .string()
        .regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9._-]+$/, 'DEPLOYMENT.BUILD, like pointsman.2026-11-22')
        .optional(),
      /** Workflows kept in memory; each takes about 1 MiB. */
      cachedWorkflows: z.int().min(1).default(500),
    })
    .prefault({}),
  store: z
    .strictObject({
      /** Wait for the disk on each blob and ledger entry: survives a power cut, not only a killed process. */
      fsync: z.boolean().default(false),
      /** Name of the environment variable that holds the Postgres URL of the experience store; without it, one in the home. */
      experience: z
        .string()
        .regex(/^[A-Z][A-Z0-9_]*$/, 'the name of an environment variable, like EXPERIENCE_URL; the URL is a secret')
        .optional(),
      /** Model profile whose `/embeddings` makes the vectors of experience; without it, the built-in embedding. */
      embeddings: ProfileName.optional(),
      /** For several hosts: what runs leave is in a database and a bucket, and a home is only a cache (docs/self-hosting.md). */
      shared: z
        .strictObject({
          /** Name of the environment variable that holds the URL of a Postgres; the URL is a secret. */
          database: VariableName,
          s3: S3Place,
        })
        .optional(),
    })
    .prefault({}),
  payloads: z
    .strictObject({
      /**
       * Name of the environment variable with the keys that encrypt what the Temporal server keeps, as `pointsman codec key`
       * makes them: several by commas, the first encrypts, all decrypt. Without it payloads are clear text.
       */
      keysEnv: VariableName.optional(),
    })
    .prefault({}),
  /** Whom the worker tells when a campaign has ended, also for want of money: `{ text, event, id, … }` as JSON. */
  notify: z
    .strictObject({
      /** Name of the environment variable with the address that is sent a POST; the address is a secret. */
      urlEnv: z
        .string()
        .regex(/^[A-Z][A-Z0-9_]*$/, 'the name of an environment variable, like CHAT_WEBHOOK; the address is a secret')
        .optional(),
      /** Program and arguments, run by the worker, with the JSON on its standard input. */
      command: z.array(z.string().min(1)).min(1).optional(),
    })
    .prefault({}),
  sandboxes: z
    .strictObject({
      /** What they run on: `docker`, or the name of a backend that an extension brings. */
      backend: z.string().min(1).default('docker'),
      /**
       * What sandboxes with a network reach beside the internet, where it is this host's or in a private range: hosts,
       * `HOST:PORT` and networks, like `mirror.internal:8081` or `10.1.0.0/16`. What this host lends them is open anyway.
       */
      reach: z.array(z.string().regex(PLACE, 'a host, HOST:PORT, or a network like 10.1.0.0/16')).default([]),
    })
    .prefault({}),
  images: z
    .strictObject({
      /**
       * Where images that we make are pushed, so that every host has the same ones: `registry.internal:5000/pointsman`. Results
       * and problems name them by digest. Log in to it as the worker's user, as for `docker push`.
       */
      registry: z
        .string()
        .regex(/^[a-z0-9][a-z0-9.-]*(:\d+)?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/, 'HOST[:PORT][/FOLDER], in lower case')
        .optional(),
    })
    .prefault({}),
  services: z
    .strictObject({
      /** Images that an agent may start a service beside its sandbox from: else any image of this host could be read. */
      images: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
  sources: z
    .strictObject({
      /** Folders below which workflows may name files for this worker to read: repositories, problems, rollouts, tokenizers. */
      roots: z.array(z.string().regex(/^\//, 'an absolute path')).default([]),
    })
    .prefault({}),
});
export type Config = z.infer<typeof Config>;

/** In the folder that one stands in. */
const FOUND = 'pointsman.yaml';

/** Everything a process needs to know about where it is. */
export interface Settings {
  readonly config: Config;
  /** File that the configuration came from; undefined when none was found. */
  readonly file: string | undefined;
  readonly home: string;
  readonly host: string;
  readonly onlyHost: boolean;
  /** Build that this worker serves, as `DEPLOYMENT.BUILD`. */
  readonly deployment: string | undefined;
}

/**
 * Reads `POINTSMAN_CONFIG`, else `pointsman.yaml` in the current folder or in the home. No file is fine: then there
 * are no profiles. Throws `InvalidInput` with the field, and for a file of a folder that nobody has said to trust.
 */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const settings = readSettings(env);
  assertTrusted(settings, reachOf(settings.config));
  return settings;
}

/**
 * The files of extensions that the configuration names. They are read before the rest of it, which may use names that they
 * bring. Throws `InvalidInput` for a file of a folder that nobody has said to trust.
 */
export function namedExtensions(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const found = written(env);
  const names = namesIn(found);
  if (names.length > 0) assertTrusted(found, extensionsSaid(names));
  return names.map((name) => resolve(dirname(found.file ?? ''), name));
}

const namesIn = ({ fields, file }: Written) =>
  parseInput(Config.shape.extensions, fields.extensions, `${file ?? 'configuration'}: extensions`);
const extensionsSaid = (names: readonly string[]) =>
  names.map((name) => `code of ${name} runs in commands and workers`);

interface Written {
  readonly file: string | undefined;
  readonly home: string;
  readonly fields: Record<string, unknown> & { worker?: object };
}

function written(env: NodeJS.ProcessEnv): Written {
  const home = pointsmanHome();
  const named = env.POINTSMAN_CONFIG;
  if (named && !existsSync(named)) {
    throw new PointsmanError(
      'InvalidInput',
      `POINTSMAN_CONFIG: no file ${resolve(named)}`,
      'Create it or unset the variable.',
    );
  }
  const candidates = [named, FOUND, join(home, 'pointsman.yaml'), join(homedir(), '.config', 'pointsman.yaml')];
  const file = candidates.find((path): path is string => path !== undefined && existsSync(path));
  return { file, home, fields: parse(file ? readFileSync(file, 'utf8') : '') ?? {} };
}

function readSettings(env: NodeJS.ProcessEnv): Settings {
  const { file, home, fields } = written(env);
  const deployment = env.POINTSMAN_DEPLOYMENT;
  if (deployment) fields.worker = { ...fields.worker, deployment };
  const config = parseInput(Config, fields, file ?? 'configuration');
  return {
    config,
    file,
    home,
    host: config.worker.host ?? env.POINTSMAN_HOST ?? hostname(),
    onlyHost: config.worker.onlyHost || env.POINTSMAN_ONLY_HOST === '1',
    deployment: config.worker.deployment,
  };
}

/**
 * A folder that one happens to stand in may be anybody's: where its configuration sends keys and code is said by whoever
 * looked at it, once for each change of that. The checkout's own file and what was named on purpose are the operator's.
 */
function assertTrusted({ file, home }: Pick<Settings, 'file' | 'home'>, said: readonly string[]): void {
  if (file !== FOUND || [REPOSITORY, home].includes(process.cwd())) return;
  if (said.length === 0 || trusted(home).includes(digestOf(said))) return;
  throw new PointsmanError(
    'InvalidInput',
    `${resolve(file)} was not used before. It says:\n${said.map((line) => `  ${line}`).join('\n')}`,
    'If it is yours: `pointsman trust` in this folder. Else go elsewhere, or name your own with POINTSMAN_CONFIG.',
  );
}

/** Notes that the extensions of the current folder's configuration are the operator's: their code may run from now on. */
export function trustExtensions(): void {
  const found = written({});
  remember(found.home, extensionsSaid(namesIn(found)));
}

/** Notes that the configuration of the current folder is the operator's. Gives what that means, a line each. */
export function trustConfig(): { readonly file: string | undefined; readonly says: readonly string[] } {
  const { file, home, config } = readSettings({});
  const says = reachOf(config);
  remember(home, says);
  return { file: file && resolve(file), says };
}

function remember(home: string, said: readonly string[]): void {
  const known = trusted(home);
  const digest = digestOf(said);
  if (!known.includes(digest)) {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(trustFile(home), [...known, digest, ''].join('\n'));
  }
}

/** What a configuration makes leave this machine, and what of it, or opens on it: the rest of it only limits. */
function reachOf({
  extensions,
  endpoints,
  notify,
  profiles,
  store,
  sandboxes,
  images,
  services,
  sources,
}: Config): string[] {
  const models = Object.entries(profiles).flatMap(
    ([
      name,
      {
        baseUrl,
        apiKeyEnv,
        view: { prompts },
      },
    ]) => [
      ...(baseUrl || apiKeyEnv
        ? [`profile ${name} asks ${baseUrl ?? "the provider's own server"}, with ${apiKeyEnv ?? 'no key'}`]
        : []),
      ...(prompts ? [`profile ${name} takes prompts from ${prompts}`] : []),
    ],
  );
  return [
    ...extensionsSaid(extensions),
    ...(notify.urlEnv ? [`the address in ${notify.urlEnv} is told of campaigns that have ended`] : []),
    ...(notify.command ? [`the worker runs \`${notify.command.join(' ')}\` when a campaign has ended`] : []),
    ...models,
    ...endpoints.map(
      ({ baseUrl, anyPort, keys }) =>
        `rollouts may ask ${baseUrl}${anyPort ? ' on any port' : ''}, with ${keys.join(', ') || 'no key'}`,
    ),
    ...(store.shared
      ? [
          `all that runs leave goes to the bucket ${store.shared.s3.bucket} at ${store.shared.s3.endpoint ?? 'AWS'}, and to the database that ${store.shared.database} names`,
        ]
      : []),
    ...(store.experience ? [`experience is in the database that ${store.experience} names`] : []),
    ...sandboxes.reach.map((place) => `sandboxes reach ${place}`),
    ...(images.registry ? [`images of environments are pushed to ${images.registry}`] : []),
    ...services.images.map((image) => `services may be started from the image ${image}`),
    ...sources.roots.map((folder) => `workflows may have files below ${folder} read`),
  ];
}

const trustFile = (home: string) => join(home, 'trusted-configurations');
const trusted = (home: string) =>
  existsSync(trustFile(home)) ? readFileSync(trustFile(home), 'utf8').split('\n').filter(Boolean) : [];
const digestOf = (said: readonly string[]) =>
  createHash('sha256')
    .update(`${process.cwd()}\n${said.join('\n')}`)
    .digest('hex');

/** What it lets sandboxes have, as `openSandboxes` takes it. */
export function allowedBy({ sandboxes, services, images, worker }: Config) {
  return {
    reach: sandboxes.reach,
    images: services.images,
    registry: images.registry,
    places: worker.sandboxes,
    freeDiskGiB: worker.freeDiskGiB,
  };
}

/** The profile of that name, or `InvalidInput` with the ones that exist. */
export function profileNamed(config: Config, name: string): ModelProfile {
  const profile = config.profiles[name];
  if (profile) return profile;
  const names = Object.keys(config.profiles);
  const close = nearest(name, names);
  throw new PointsmanError(
    'InvalidInput',
    `no model profile "${name}"${close ? `, did you mean "${close}"?` : ` (known: ${names.join(', ') || 'none'})`}`,
    'A worker reads pointsman.yaml when it starts: after a change, `pointsman up` starts it again; `pointsman models check` tries all.',
  );
}

/** Where a rollout asks a profile's model, as far as the input says it. */
export interface ModelSession {
  readonly profile: ModelProfile;
  /** The configured address that it is at or below: sessions below one share what the profile allows at once. */
  readonly gateway: string;
  /** Name of the key that `pointsman serve` keeps; then no variable is read. */
  readonly token?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A profile as a rollout's endpoint has it. Whoever may start workflows names addresses, so the configuration decides: throws
 * `InvalidInput` for one that is not below one of `endpoints`, and for a key that is not to go there.
 */
export function sessionOf(
  config: Config,
  name: string,
  { baseUrl, apiKeyEnv, token, headers = {} }: Endpoint,
): ModelSession {
  const profile = profileNamed(config, name);
  const address = baseUrl ?? profile.baseUrl;
  const refuse = (what: string, hint: string): never => {
    throw new PointsmanError('InvalidInput', `endpoint of profile "${name}": ${what}`, hint);
  };
  if (profile.provider === 'person') refuse('its turns are made by a person', 'Leave the endpoint out.');
  if (address === undefined) return refuse('baseUrl is needed, for the profile has none', 'Name it.');
  const gateway = config.endpoints.find((each) => isBelow(address, each));
  if (!gateway) {
    const known = config.endpoints.map((each) => each.baseUrl).join(', ') || 'none';
    return refuse(
      `${address} is no address that rollouts may name (allowed: ${known})`,
      'Put it into `endpoints` of pointsman.yaml, where workers read it when they start.',
    );
  }
  if (apiKeyEnv !== undefined && !gateway.keys.includes(apiKeyEnv)) {
    return refuse(
      `the key in ${apiKeyEnv} is not to be sent to ${address} (allowed: ${gateway.keys.join(', ') || 'none'})`,
      'Put its name into `keys` of that entry of `endpoints` in pointsman.yaml.',
    );
  }
  // A key goes where it was meant for: with another address the profile's own stays here.
  const own = baseUrl === undefined && token === undefined ? profile.apiKeyEnv : undefined;
  return {
    profile: { ...profile, baseUrl: address, apiKeyEnv: apiKeyEnv ?? own },
    gateway: gateway.baseUrl,
    ...(token === undefined ? {} : { token }),
    headers,
  };
}

/** At an address or below its path, by whole segments; `..` and their like are resolved before. */
function isBelow(address: string, { baseUrl, anyPort }: Config['endpoints'][number]): boolean {
  const [asked, allowed] = [new URL(address), new URL(baseUrl)];
  if (anyPort) allowed.port = asked.port;
  const folder = allowed.pathname.replace(/(?<!\/)\/*$/, '/');
  // A server behind may take an encoded slash or dot for what it stands for.
  if (/%(?:2e|2f|5c)/i.test(asked.pathname) || asked.pathname.includes('\\')) return false;
  return asked.origin === allowed.origin && `${asked.pathname}/`.startsWith(folder);
}
