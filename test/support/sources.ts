import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { BASE_IMAGE } from '../../src/machine/image';
import { Roots } from '../../src/roots';
import { DockerSandboxes } from '../../src/sandbox/docker/sandboxes';
import type { SandboxSpec } from '../../src/sandbox/sandbox';
import { fetchSource, type Source } from '../../src/sources/fetch';
import { FileBlobs } from '../../src/store/local/blobs';
import { sentPaths } from '../../src/store/sent-paths';

/** Counts the sandboxes that it starts: what comes out of the blob store needs none. */
class CountingSandboxes extends DockerSandboxes {
  started = 0;

  override async claim(spec: SandboxSpec) {
    this.started++;
    return super.claim(spec);
  }
}

/** Fetches as a worker does, with a blob store of its own. */
export class Fetcher {
  readonly sandboxes: CountingSandboxes;
  private readonly folder = mkdtempSync(join(tmpdir(), 'pointsman-sources-'));
  readonly blobs = new FileBlobs(join(this.folder, 'blobs'));
  /** Inputs may name any path, and what was sent along. */
  readonly roots = new Roots(this.folder, ['/'], sentPaths(this.folder, this.blobs));
  private runs = 0;

  /** `reach`: what of this host its containers are let to, besides the internet. */
  constructor(...reach: string[]) {
    this.sandboxes = new CountingSandboxes('test', undefined, { reach });
  }

  async fetch(name: string, known?: string): Promise<Source> {
    const owner = { workflowId: `test-sources-${process.pid}`, firstRunId: `${this.folder}-${this.runs++}` };
    return fetchSource(this, owner, name, known, BASE_IMAGE, new AbortController().signal);
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface Site {
  /** Address as containers reach it. */
  readonly url: string;
  close(): Promise<void>;
}

/** A web server of this host for containers. */
export async function siteForContainers(answer: RequestListener): Promise<Site> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  return {
    url: `http://${await bridgeAddress()}:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

interface Addresses {
  readonly Subnet: string;
  readonly Gateway?: string;
}

/** Where containers reach this host. An engine that has just made its first bridge does not name the gateway: it is the first. */
async function bridgeAddress(): Promise<string> {
  const { IPAM } = (await new Docker().getNetwork('bridge').inspect()) as { IPAM: { Config: readonly Addresses[] } };
  const { Gateway, Subnet } = IPAM.Config[0]!;
  return Gateway ?? Subnet.replace(/\.\d+\/\d+$/, '.1');
}

/** Variables of this process for as long as the test takes: what a worker's environment says. */
export async function having<T>(variables: Record<string, string>, use: () => Promise<T>): Promise<T> {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  Object.assign(process.env, variables);
  try {
    return await use();
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** A ZIP file of one empty stored file. */
export function emptyZip(name: string): Buffer {
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(46 + name.length, 12);
  end.writeUInt32LE(30 + name.length, 16);
  return Buffer.concat([local, Buffer.from(name), entry, Buffer.from(name), end]);
}
