import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { canInstallPackages, installPackages, onPath } from '../../src/machine/command';
import { freePort } from '../../src/machine/ports';
import { openProxy } from './proxy';

export interface ImageRegistry {
  readonly port: number;
  /** A repository prefix of it, as engines name it. */
  readonly place: string;
  repositories(): Promise<string[]>;
  /** What it answers to everything from now on; nothing, to answer again. */
  answerWith(status: number | undefined): void;
  /** Requests that it was sent. */
  requests(): number;
  close(): Promise<void>;
}

/** A registry of images: Debian's `docker-registry`, behind a proxy that can be told to refuse. */
export async function openRegistry({ password }: { readonly password?: string } = {}): Promise<ImageRegistry> {
  const program = await registryProgram();
  const folder = mkdtempSync(join(tmpdir(), 'registry-'));
  const [behind, port] = [await freePort(), await freePort()];
  const storage = { filesystem: { rootdirectory: folder }, delete: { enabled: true } };
  const config = { version: 0.1, log: { level: 'error' }, storage, http: { addr: `127.0.0.1:${behind}` } };
  writeFileSync(join(folder, 'config.yml'), stringify(config));
  const registry = spawn(program, ['serve', join(folder, 'config.yml')], { stdio: 'ignore' });
  let status: number | undefined;
  let requests = 0;
  const wanted = password && `Basic ${Buffer.from(`team:${password}`).toString('base64')}`;
  const proxy = await openProxy(port, behind, ({ headers }) => {
    requests += 1;
    const login = wanted !== undefined && headers.authorization !== wanted;
    if (login && status === undefined) return { status: 401, headers: { 'www-authenticate': 'Basic realm="team"' } };
    return { status };
  });
  const catalog = () =>
    fetch(`http://127.0.0.1:${behind}/v2/_catalog`).then(
      (answer) => answer.json() as Promise<{ repositories: string[] }>,
    );
  for (let tries = 0; !(await catalog().catch(() => undefined)); tries++) {
    if (tries > 200) throw new Error('no registry came up');
    await sleep(50);
  }
  return {
    port,
    place: `localhost:${port}/team`,
    repositories: async () => (await catalog()).repositories.sort(),
    answerWith: (next) => {
      status = next;
    },
    requests: () => requests,
    close: async () => {
      const gone = new Promise((resolve) => registry.once('exit', resolve));
      registry.kill('SIGKILL');
      await Promise.all([gone, proxy.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function registryProgram(): Promise<string> {
  if (onPath('docker-registry').length === 0 && canInstallPackages())
    await installPackages(['docker-registry'], () => {}, '');
  const [program] = onPath('docker-registry');
  if (!program) throw new Error('no registry of images: install the package "docker-registry"');
  return program;
}
