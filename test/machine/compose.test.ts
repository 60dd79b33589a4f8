import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadSettings } from '../../src/config';
import { REPOSITORY } from '../../src/home';

/** The second is for hosts that share a store, and says what is added to the first. */
const FILES = ['docker-compose.yml', 'deploy/centre.yml'];
const texts = FILES.map((name) => readFileSync(join(REPOSITORY, name), 'utf8'));

/** The part of the Compose format that our file uses: a misspelt key is refused as `docker compose config` refuses it. */
const Service = z.strictObject({
  image: z.string(),
  build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
  restart: z.string(),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully', 'service_started']) }),
    )
    .optional(),
  env_file: z.array(z.strictObject({ path: z.string(), required: z.boolean() })).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
  init: z.boolean().optional(),
  healthcheck: z
    .strictObject({
      test: z.array(z.string()).min(2),
      interval: z.string(),
      timeout: z.string(),
      retries: z.int(),
      start_period: z.string(),
    })
    .optional(),
});
const Compose = z.strictObject({
  name: z.string().optional(),
  services: z.record(z.string(), Service.partial()),
  volumes: z.record(z.string(), z.null()),
});

const layers = texts.map((text) => Compose.parse(parse(text, { merge: true })));
const services: Record<string, z.infer<typeof Service>> = {};
for (const layer of layers)
  for (const [name, added] of Object.entries(layer.services)) {
    const { environment, ports = [], ...known } = services[name] ?? {};
    const both = { environment: { ...environment, ...added.environment }, ports: [...ports, ...(added.ports ?? [])] };
    services[name] = Service.parse({ ...known, ...added, ...both });
  }
const volumes = layers.flatMap((layer) => Object.keys(layer.volumes));

test('every service that another waits for exists and can be waited for', () => {
  for (const service of Object.values(services)) {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      const awaited = services[name];
      expect(awaited).toBeDefined();
      if (condition === 'service_healthy') expect(awaited?.healthcheck).toBeDefined();
      if (condition === 'service_completed_successfully') expect(awaited?.restart).toMatch(/^on-failure/);
    }
  }
});

test('every mounted file and volume is there', () => {
  for (const service of Object.values(services)) {
    for (const volume of service.volumes ?? []) {
      if (volume.startsWith('${DOCKER_SOCKET')) continue;
      const source = volume.split(':')[0]!;
      if (source.startsWith('.')) expect(existsSync(join(REPOSITORY, source))).toBe(true);
      else expect(volumes).toContain(source);
    }
  }
});

test('.env.example explains every variable, with the default that the file has, and no other', () => {
  const example = readFileSync(join(REPOSITORY, '.env.example'), 'utf8');
  const explained = new Map([...example.matchAll(/^([A-Z_0-9]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));
  const used = new Map(
    [...texts.join('').matchAll(/\$\{([A-Z_0-9]+):-([^}]*)\}/g)].map(([, name, value]) => [name!, value!]),
  );
  expect([...explained].sort()).toEqual([...used].sort());
});

test("the composed worker's configuration is one that the worker takes", () => {
  const path = join(REPOSITORY, 'deploy', 'pointsman.yaml');
  expect(loadSettings({ POINTSMAN_CONFIG: path }).config.worker.metrics).toBe('0.0.0.0:9464');
});

test("the server's dynamic configuration has the development server's settings", () => {
  const file = readFileSync(join(REPOSITORY, 'deploy', 'dynamicconfig', 'pointsman.yaml'), 'utf8');
  const settings = z
    .record(z.string(), z.tuple([z.strictObject({ value: z.unknown(), constraints: z.strictObject({}) })]))
    .parse(parse(file));
  const source = readFileSync(join(REPOSITORY, 'src', 'machine', 'server-process.ts'), 'utf8');
  const entries = Object.entries(settings).map(
    ([name, [{ value }]]) => `${name}=${Array.isArray(value) ? JSON.stringify(value) : value}`,
  );
  expect(entries).toHaveLength(6);
  for (const entry of entries) expect(source).toContain(`'${entry}'`);
});

test("what runs in the worker's image lies where the image has it", () => {
  const dockerfile = readFileSync(join(REPOSITORY, 'deploy', 'Dockerfile'), 'utf8');
  const home = `${/^WORKDIR (.+)$/m.exec(dockerfile)![1]}/dist/`;
  const started = [...Object.values(services).flatMap(({ entrypoint }) => entrypoint ?? []), dockerfile];
  const programs = started.flatMap((text) => [...text.matchAll(/\/[^" ]*\/dist\/[^" ]*\.js/g)].map(([path]) => path));
  expect(programs).toHaveLength(2);
  for (const path of programs) {
    expect(path.startsWith(home)).toBe(true);
    expect(existsSync(join(REPOSITORY, 'src', path.slice(home.length).replace(/\.js$/, '.ts')))).toBe(true);
  }
});

test('no port of a service is open to others unless TEMPORAL_BIND opens it, and the UI only behind its guard', () => {
  for (const [name, { ports = [] }] of Object.entries(services)) {
    if (name === 'temporal-ui') expect(ports).toEqual([]);
    for (const port of ports) expect(port).toMatch(/^(\$\{TEMPORAL_BIND:-127\.0\.0\.1\}|127\.0\.0\.1):/);
  }
});

test('every image of others can be made here', () => {
  const making = readFileSync(join(REPOSITORY, 'bin', 'image'), 'utf8');
  const images = Object.values(services).map(({ image }) => image.split(':')[0]!);
  for (const image of new Set(images.filter((name) => !name.startsWith('pointsman/'))))
    expect(making).toContain(`=${image}:$(tag `);
});

test('the scripts that the containers run are valid shell', () => {
  for (const name of ['setup-schema.sh', 'create-namespace.sh', 'images/start-postgres.sh']) {
    execFileSync('sh', ['-n', join(REPOSITORY, 'deploy', name)]);
  }
});

const command = composeCommand();
(command ? test : test.skip)('docker compose config accepts it, without and with .env', () => {
  const [program, ...args] = command!;
  const config = (...more: string[]) =>
    execFileSync(program!, [...args, ...more, 'config'], { cwd: REPOSITORY, encoding: 'utf8' });
  config();
  expect(config('--env-file', '.env.example')).toContain('pgvector/pgvector:pg17');
  expect(config(...FILES.flatMap((name) => ['--file', name]))).toContain('versity/versitygw:v1');
});

/** Compose v2 where this machine has it: COMPOSE_BIN, or Docker's plugin. */
function composeCommand(): string[] | undefined {
  const candidates = process.env.COMPOSE_BIN ? [[process.env.COMPOSE_BIN]] : [['docker', 'compose']];
  return candidates.find(([program, ...args]) => {
    try {
      execFileSync(program!, [...args, 'version'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}
