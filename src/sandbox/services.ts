import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import type { Lease } from '../contract/sandbox';
import type { ServiceSpec } from '../contract/setup';
import { CAPABILITIES, removeContainer } from './container';
import { ignoreMissing, statusOf } from './engine';
import { runInGuest } from './guest-exec';
import type { SandboxHost } from './host';
import { LABEL, type Owner, runLabels, runName } from './labels';
import { parseExports } from './shell-state';
import { startServices } from './throwaway-services';
import { openWorkshop } from './workshop';

export interface ServicesRequest {
  readonly owner: Owner;
  readonly lease: Lease;
  /** Complete: with start, health or port, and packages or image. */
  readonly services: readonly ServiceSpec[];
  /** Image that a sibling without one of its own is made of. */
  readonly base: string;
  /** Shell text that installs a service's packages. */
  install(spec: ServiceSpec): string | undefined;
}

const SIBLING_REPOSITORY = 'switchyard/service';
const SIBLING_BYTES = 2 * 1024 ** 3;
/** Digest of the spec that a sibling was made from. */
const MADE_FROM = 'switchyard.service';

/** The run's own network, which leads nowhere else: siblings and whoever asks them meet there. */
export function runNetwork(owner: Owner): string {
  return runName(owner, 'net');
}

/** Services of a run: processes in its sandbox, and sibling containers on its network. All go with the run. */
export class Services {
  constructor(private readonly host: SandboxHost) {}

  /** Starts what is not up, siblings first. Idempotent. Names the first service that did not come up. */
  async start(
    request: ServicesRequest,
    signal: AbortSignal,
  ): Promise<{ started: string[]; failed: { name: string; why: string } | null }> {
    const { docker } = this.host;
    const { owner, lease, services } = request;
    const { started, failed: away } = await this.startSiblings(request, signal);
    if (away) return { started, failed: away };
    if (started.length > 0) await this.connect(owner, lease.container, []);
    const container = docker.getContainer(lease.container);
    const state = await this.host.journal(lease.container, (journal) => journal.state());
    const shell = { cwd: state.cwd || lease.workdir, env: withoutShellWords(parseExports(state.env)), prelude: '' };
    const own = services.filter(({ kind }) => kind === 'process');
    const down: ServiceSpec[] = [];
    // One that an attempt before this one started has its port: started again it could only fail.
    for (const spec of own) if (!(await isReady(container, spec, signal))) down.push(spec);
    const failed = await startServices(container, down, shell, signal);
    if (failed) return { started, failed };
    return { started: [...started, ...own.map(({ name }) => name)], failed: null };
  }

  /** The sibling containers alone, on the run's network, for whoever looks at an image without a sandbox of its own. */
  async startSiblings(
    request: Omit<ServicesRequest, 'lease'>,
    signal: AbortSignal,
  ): Promise<{ started: string[]; failed: { name: string; why: string } | null }> {
    const siblings = request.services.filter(({ kind }) => kind === 'container');
    const started: string[] = [];
    if (siblings.length > 0) await this.network(request.owner);
    for (const spec of siblings) {
      const why = await this.sibling(request, spec, signal);
      if (why !== undefined) return { started, failed: { name: spec.name, why } };
      started.push(spec.name);
    }
    return { started, failed: null };
  }

  /** Command lines of processes that commands left behind and that are no service: a rollback would end them silently. */
  async undeclared(lease: Lease): Promise<string[]> {
    const { stdout } = await runInGuest(this.host.docker.getContainer(lease.container), {
      command: UNDECLARED,
      timeoutMs: 20_000,
    });
    const lines = stdout
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    return [...new Set(lines)].slice(0, 20);
  }

  private async network(owner: Owner): Promise<void> {
    const { docker } = this.host;
    const name = runNetwork(owner);
    const existing = await docker.listNetworks({ filters: { name: [name] } });
    if (existing.some(({ Name }) => Name === name)) return;
    await docker.createNetwork({
      Name: name,
      Internal: true,
      CheckDuplicate: true,
      Labels: { ...runLabels(owner), [LABEL.scope]: this.host.scope },
    });
  }

  private async connect(owner: Owner, container: string, aliases: string[]): Promise<void> {
    const network = this.host.docker.getNetwork(runNetwork(owner));
    await network.connect({ Container: container, EndpointConfig: { Aliases: aliases } }).catch((error: unknown) => {
      // It is connected already, which the engine calls forbidden.
      if (statusOf(error) !== 403 && !/already exists/.test(String(error))) throw error;
    });
  }

  private async sibling(
    request: Omit<ServicesRequest, 'lease'>,
    spec: ServiceSpec,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { docker } = this.host;
    const { owner } = request;
    const name = runName(owner, `service-${spec.name}`);
    const running = await docker
      .getContainer(name)
      .inspect()
      .catch(() => undefined);
    const madeFrom = digestOf(spec);
    if (!running?.State.Running || running.Config.Labels[MADE_FROM] !== madeFrom) {
      await removeContainer(docker, name);
      const image = spec.image ?? (await this.imageOf(request, spec));
      const container = await docker.createContainer({
        name,
        Image: image,
        Hostname: spec.name,
        ...(spec.start ? { Entrypoint: [], Cmd: ['bash', '-c', spec.start] } : {}),
        Env: Object.entries(spec.env).map(([key, value]) => `${key}=${value}`),
        Labels: {
          ...runLabels(owner),
          [LABEL.scope]: this.host.scope,
          [LABEL.role]: `service-${spec.name}`,
          [MADE_FROM]: madeFrom,
        },
        HostConfig: {
          Init: true,
          NetworkMode: runNetwork(owner),
          CapDrop: ['ALL'],
          CapAdd: CAPABILITIES,
          SecurityOpt: ['no-new-privileges'],
          PidsLimit: 512,
          Memory: SIBLING_BYTES,
          MemorySwap: SIBLING_BYTES,
        },
        NetworkingConfig: { EndpointsConfig: { [runNetwork(owner)]: { Aliases: [spec.name] } } },
      });
      await container.start();
    }
    return this.ready(docker.getContainer(name), spec, signal);
  }

  private async ready(
    container: Docker.Container,
    spec: ServiceSpec,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    for (let tries = 0; tries < 240; tries++) {
      signal.throwIfAborted();
      const { State } = await container.inspect();
      if (!State.Running) return `it ended with ${State.ExitCode}: ${(await logOf(container)).slice(-800)}`;
      if (await isReady(container, spec, signal)) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    return `it was not ready after 60 s: ${(await logOf(container)).slice(-800)}`;
  }

  /** The base image with the service's packages, made once a host. */
  private async imageOf({ owner, base, install }: Omit<ServicesRequest, 'lease'>, spec: ServiceSpec): Promise<string> {
    const { docker } = this.host;
    const tag = digestOf({ base, packages: spec.packages });
    const image = `${SIBLING_REPOSITORY}:${tag}`;
    if (
      await docker
        .getImage(image)
        .inspect()
        .then(
          () => true,
          () => false,
        )
    )
      return image;
    await openWorkshop(
      { host: this.host },
      { owner, role: `make-${spec.name}`, image: base, workdir: '/', network: 'bridge' },
      async ({ container, env, bundle }) => {
        const done = await runInGuest(container, { command: install(spec) ?? 'true', env, timeoutMs: 900_000 });
        if (done.exitCode !== 0)
          throw new Error(`packages of ${spec.name}: ${done.stderr.toString('utf8').slice(-500)}`);
        await runInGuest(container, {
          command: `rm -rf /var/lib/apt/lists/* /opt/switchyard ${bundle ?? ''}`,
          timeoutMs: 30_000,
        });
        const labels = { [LABEL.lease]: 'environment', [LABEL.run]: '', [LABEL.workflow]: '', [LABEL.scope]: '' };
        const changes = Object.entries(labels).map(([key, value]) => `LABEL ${key}=${JSON.stringify(value)}`);
        await container.commit({ repo: SIBLING_REPOSITORY, tag, changes: changes.join('\n') });
      },
    );
    return image;
  }
}

async function isReady(container: Docker.Container, spec: ServiceSpec, signal: AbortSignal): Promise<boolean> {
  const command = spec.health ?? `exec 3<>/dev/tcp/127.0.0.1/${spec.port}`;
  return (await runInGuest(container, { command, timeoutMs: 10_000, signal })).exitCode === 0;
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 24);
}

/** Bookkeeping of the shell that reads the state back. */
function withoutShellWords(env: Record<string, string>): Record<string, string> {
  const { PWD: _pwd, OLDPWD: _old, SHLVL: _level, SWITCHYARD_JOB: _job, ...rest } = env;
  return rest;
}

async function logOf(container: Docker.Container): Promise<string> {
  const log = await ignoreMissing(container.logs({ stdout: true, stderr: true, tail: 40 }) as Promise<unknown>);
  return Buffer.isBuffer(log) ? log.toString('utf8').replace(/[^\t\n\x20-\x7e]/g, '') : '';
}

/** Commands of agents carry their job's name; services are started beside the journal and carry none. */
const UNDECLARED = `
for dir in /proc/[0-9]*; do
  job=
  while IFS= read -r -d '' entry; do [[ $entry == SWITCHYARD_JOB=* ]] && job=$entry; done 2> /dev/null < "$dir/environ"
  [[ -n $job ]] || continue
  words=()
  while IFS= read -r -d '' word; do words+=("$word"); done 2> /dev/null < "$dir/cmdline"
  (( \${#words[@]} == 0 )) || printf '%.200s\\n' "\${words[*]}"
done
`;
