import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';

/** A Docker engine beside the machine's own: other images, containers, networks and addresses, so another host's in all but time. */
export interface SecondEngine {
  /** As DOCKER_HOST names it. */
  readonly host: string;
  readonly docker: Docker;
  /** Where the first network namespace is, seen from this engine: what listens there on all addresses is met here. */
  readonly gateway: string;
  /** Makes a port of this machine answer at the engine's own `localhost` too, so that both say the same of an image. */
  lend(port: number): void;
  /** Where its images and containers lie. */
  readonly disk: string;
  /** Everything that runs in it ends at this moment, as with a host that loses its power. */
  kill(): Promise<void>;
  /** Starts a killed one again with what it had on its disk. */
  restart(): Promise<void>;
  /** Ends it and removes all that it had. */
  close(): Promise<void>;
}

export interface EngineOptions {
  /** A disk of its own of that size; without it the engine shares this machine's. */
  readonly diskMiB?: number;
}

const PATIENCE_MS = 30_000;
const BRIDGE_BITS = 30;

/**
 * Starts an engine in network, process and mount namespaces of its own: nothing that it starts outlives it, and no mount of it
 * is seen here. Takes root, and about two seconds.
 */
export async function startSecondEngine({ diskMiB }: EngineOptions = {}): Promise<SecondEngine> {
  // `docker` keeps below a hundred characters for its sockets.
  const folder = mkdtempSync(join(tmpdir(), 'engine-'));
  const disk = join(folder, 'data');
  mkdirSync(disk);
  if (diskMiB !== undefined) mountDisk(disk, `${disk}.img`, diskMiB);
  const socket = join(folder, 'docker.sock');
  const docker = new Docker({ socketPath: socket });
  const cgroup = `pointsman-${folder.slice(folder.lastIndexOf('/') + 1)}`;
  const lent: number[] = [];
  let running: Running | undefined;
  const start = async () => {
    running?.link.remove();
    running = await runEngine(folder, socket, cgroup);
    for (const port of lent) running.link.lend(port);
    for (const until = Date.now() + PATIENCE_MS; !(await answers(docker)); await sleep(50)) {
      if (running.isAlive() && Date.now() < until) continue;
      throw new Error(`the second engine does not start: ${readFileSync(join(folder, 'log'), 'utf8').slice(-3000)}`);
    }
    return running;
  };
  const close = async () => {
    await running?.kill();
    running?.link.remove();
    removeCgroups(cgroup);
    if (diskMiB !== undefined) run('umount', disk);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  };
  const { link } = await start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    host: `unix://${socket}`,
    docker,
    disk,
    gateway: link.gateway,
    lend(port) {
      lent.push(port);
      running?.link.lend(port);
    },
    kill: async () => running?.kill(),
    restart: async () => void (await start()),
    close,
  };
}

interface Running {
  readonly link: Awaited<ReturnType<typeof joinNetworks>>;
  isAlive(): boolean;
  kill(): Promise<void>;
}

async function runEngine(folder: string, socket: string, cgroup: string): Promise<Running> {
  const log = openSync(join(folder, 'log'), 'a');
  // The machine's own engine may be told things that are not true of this one.
  writeFileSync(join(folder, 'daemon.json'), '{}');
  // What a machine forgets when its power goes.
  for (const name of ['exec', 'pid']) rmSync(join(folder, name), { recursive: true, force: true });
  const args = [
    ...['--net', '--pid', '--mount', '--fork', '--kill-child', '--mount-proc', 'dockerd'],
    ...['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'pid')],
    ...['--host', `unix://${socket}`, '--cgroup-parent', `/${cgroup}`, '--config-file', join(folder, 'daemon.json')],
  ];
  const engine = spawn('unshare', args, { stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = new Promise<void>((resolve) => engine.once('exit', () => resolve()));
  const link = await joinNetworks(engine);
  return {
    link,
    isAlive: () => engine.exitCode === null,
    async kill() {
      engine.kill('SIGKILL');
      await ended;
    },
  };
}

function mountDisk(at: string, image: string, mib: number): void {
  run('truncate', '--size', `${mib}M`, image);
  run('mkfs.ext4', '-q', '-F', image);
  run('mount', '-o', 'loop', image, at);
}

const answers = (docker: Docker) =>
  docker.ping().then(
    () => true,
    () => false,
  );

const run = (program: string, ...args: readonly string[]) => execFileSync(program, args, { stdio: 'pipe' }).toString();

/** A cable between the two networks, with addresses translated on the way out. */
async function joinNetworks(engine: ChildProcess) {
  const inside = (...command: readonly string[]) => run('nsenter', `--net=/proc/${engine.pid}/ns/net`, ...command);
  const own = run('readlink', '/proc/self/ns/net');
  while (run('readlink', `/proc/${engine.pid}/ns/net`) === own) await sleep(5);
  const { name, number } = freeLink();
  const [gateway, address] = [1, 2].map((last) => `10.213.${number}.${last}`) as [string, string];
  const network = `10.213.${number}.0/${BRIDGE_BITS}`;
  const rules: readonly (readonly string[])[] = [
    ['nat', 'POSTROUTING', '-s', network, '-j', 'MASQUERADE'],
    ['filter', 'FORWARD', '-s', network, '-j', 'ACCEPT'],
    ['filter', 'FORWARD', '-d', network, '-j', 'ACCEPT'],
  ];
  const apply = (how: string) => {
    for (const [table = '', ...rule] of rules) run('iptables', '-w', '-t', table, how, ...rule);
  };
  run('ip', 'link', 'set', `${name}p`, 'netns', String(engine.pid));
  run('ip', 'addr', 'add', `${gateway}/${BRIDGE_BITS}`, 'dev', name);
  run('ip', 'link', 'set', name, 'up');
  apply('-I');
  inside('ip', 'link', 'set', 'lo', 'up');
  inside('ip', 'addr', 'add', `${address}/${BRIDGE_BITS}`, 'dev', `${name}p`);
  inside('ip', 'link', 'set', `${name}p`, 'up');
  inside('ip', 'route', 'add', 'default', 'via', gateway);
  inside('sysctl', '-qw', `net.ipv4.conf.${name}p.route_localnet=1`);
  run('sysctl', '-qw', `net.ipv4.conf.${name}.route_localnet=1`);
  const lent: number[] = [];
  const forward = (how: string, port: number) => {
    const rule = ['-i', name, '-d', gateway, '-p', 'tcp', '--dport', String(port), '-j', 'DNAT', '--to', '127.0.0.1'];
    run('iptables', '-w', '-t', 'nat', how, 'PREROUTING', ...rule);
  };
  return {
    gateway,
    lend(port: number): void {
      const out = ['-d', '127.0.0.1', '-p', 'tcp', '--dport', String(port)];
      inside('iptables', '-w', '-t', 'nat', '-I', 'OUTPUT', ...out, '-j', 'DNAT', '--to', gateway);
      inside('iptables', '-w', '-t', 'nat', '-I', 'POSTROUTING', '-d', gateway, '-j', 'MASQUERADE');
      forward('-I', port);
      lent.push(port);
    },
    remove(): void {
      for (const port of lent) forward('-D', port);
      apply('-D');
      // The kernel takes the link away with the namespace, a moment later.
      try {
        run('ip', 'link', 'delete', name);
      } catch {}
    },
  };
}

/** The first pair of that name that nobody has: making it is taking it. */
function freeLink(): { readonly name: string; readonly number: number } {
  for (let number = process.pid % 200; ; number = (number + 1) % 250) {
    const name = `engine${number}`;
    try {
      run('ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', `${name}p`);
      return { name, number };
    } catch (error) {
      if (!/File exists/.test(String(error))) throw error;
    }
  }
}

/** A group of each kind of limit, with those of its containers in it. */
function removeCgroups(name: string): void {
  const remove = (path: string): void => {
    for (const each of readdirSync(path, { withFileTypes: true }))
      if (each.isDirectory()) remove(join(path, each.name));
    rmdirSync(path);
  };
  for (const kind of readdirSync('/sys/fs/cgroup')) {
    try {
      remove(join('/sys/fs/cgroup', kind, name));
    } catch {}
  }
}
