import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { Config } from '../../src/config';
import { REPOSITORY } from '../../src/home';
import { ROLES } from '../../src/worker';
import { pythonWith } from '../trainers/python';

const FOLDER = join(REPOSITORY, 'deploy', 'kubernetes');
/** The oldest that is supported when this is written, and the newest: sidecars and all fields are known to both. */
const VERSIONS = ['1.33', '1.37'];
const textOf = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const kustomization = parse(textOf('kustomization.yaml'));

interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly name: string }[];
}
interface Pod {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[];
}
interface Manifest {
  readonly kind: string;
  readonly spec?: {
    readonly template?: { readonly spec: Pod; readonly metadata: { readonly labels: object } };
    readonly selector?: { readonly matchLabels: object };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}
const manifests: Manifest[] = (kustomization.resources as string[]).flatMap((name) =>
  parseAllDocuments(textOf(name)).map((document) => document.toJS() as Manifest),
);
const workloads = manifests.filter(({ spec }) => spec?.template);

test.each(VERSIONS)(
  'the manifests are what Kubernetes %s takes, with no field that it does not know',
  (version) => {
    const python = pythonWith('kubernetes');
    if ('missing' in python) throw new Error(python.missing);
    const files = (kustomization.resources as string[]).map((name) => join(FOLDER, name));
    const program = join(dirname(python.program), 'kubernetes-validate');
    const checked = spawnSync(program, ['--strict', '-k', version, ...files], { encoding: 'utf8' });
    expect(`${checked.stdout}${checked.stderr}`).not.toMatch(/ERROR|WARN/);
    expect(checked.status).toBe(0);
  },
  180_000,
);

test('the folder holds what its kustomization names, and nothing else', () => {
  const named = [...kustomization.resources, ...kustomization.configMapGenerator[0].files, 'kustomization.yaml'];
  expect(readdirSync(FOLDER).sort()).toEqual(named.sort());
});

test('its configuration is one of ours, for hosts that share a store', () => {
  const config = Config.parse(parse(textOf('pointsman.yaml')));
  expect(config.store.shared).toBeDefined();
  expect(config.images.registry).toBeDefined();
  expect(config.worker.onlyHost).toBe(false);
});

test('workers are started with roles that there are, and all of them are served', () => {
  const commands = workloads.flatMap(({ spec }) => spec!.template!.spec.containers.map(({ args }) => args));
  expect(commands.map((args) => args.slice(0, 3))).toEqual(commands.map(() => ['worker', 'start', '--roles']));
  const roles = commands.flatMap((args) => args[3]!.split(','));
  expect(roles.sort()).toEqual([...ROLES].sort());
});

test('pods mount what they have, are found by their labels, and share one socket with their engine', () => {
  for (const { spec } of workloads) {
    const { template, selector, volumeClaimTemplates = [] } = spec!;
    const { containers, initContainers = [], volumes } = template!.spec;
    const had = [...volumes.map(({ name }) => name), ...volumeClaimTemplates.map(({ metadata }) => metadata.name)];
    const mounted = [...containers, ...initContainers].flatMap((each) => each.volumeMounts.map(({ name }) => name));
    expect([...new Set(mounted)].sort()).toEqual(had.sort());
    expect(template!.metadata.labels).toEqual(selector!.matchLabels);
    expect(volumes.flatMap(({ configMap }) => configMap?.name ?? [])).toEqual([
      kustomization.configMapGenerator[0].name,
    ]);
    for (const { args } of initContainers) {
      const [, host] = /^--host=(.*)$/.exec(args.find((arg) => arg.startsWith('--host='))!)!;
      expect(containers[0]!.env).toContainEqual({ name: 'DOCKER_HOST', value: host });
    }
  }
});

test('the image has an entry that takes those words', () => {
  expect(existsSync(join(REPOSITORY, 'deploy', 'Dockerfile'))).toBe(true);
  expect(readFileSync(join(REPOSITORY, 'deploy', 'Dockerfile'), 'utf8')).toMatch(
    /ENTRYPOINT \["node", "[^"]*main\.js"\]/,
  );
});
