import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { canInstallPackages, installPackages, onPath } from '../../src/machine/command';
import { freePort } from '../../src/machine/ports';

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
  const server = createServer((asked, answer) => {
    requests += 1;
    const login = wanted !== undefined && asked.headers.authorization !== wanted;
    const refused = status ?? (login ? 401 : undefined);
    if (refused === undefined) return passOn(asked, answer, behind);
    asked.resume();
    answer.writeHead(refused, login ? { 'www-authenticate': 'Basic realm="team"' } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
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
      server.closeAllConnections();
      await Promise.all([gone, new Promise((resolve) => server.close(resolve))]);
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

function passOn(asked: IncomingMessage, answer: ServerResponse, port: number): void {
  const { method, url, headers } = asked;
  const passed = request({ port, host: '127.0.0.1', method, path: url, headers }, (given) => {
    answer.writeHead(given.statusCode ?? 502, given.headers);
    given.pipe(answer);
  });
  passed.on('error', () => answer.destroy());
  asked.pipe(passed);
}
