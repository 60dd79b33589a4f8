import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { hostAccess } from './host-access';

/** Where a Dockerfile of ours looks for a CA bundle, beside itself and in the image that is built. */
export const BUNDLE_FILE = 'ca.crt';
export const BUNDLE_INSIDE = `/usr/local/share/${BUNDLE_FILE}`;

/**
 * Has the engine build the Dockerfile of a folder. Proxies and certificates of this host are lent as build arguments, which
 * do not stay in the image. Throws what the build ended with.
 */
export async function buildFolder(
  docker: Docker,
  folder: string,
  tag: string,
  report: (line: string) => void,
): Promise<void> {
  const { env, bundle } = hostAccess();
  const lent = Object.entries(env).map(([name, value]) => [name, value === bundle?.inside ? BUNDLE_INSIDE : value]);
  const copied = join(folder, BUNDLE_FILE);
  if (bundle) copyFileSync(bundle.file, copied);
  try {
    const context = { context: folder, src: ['.'] };
    // Layers that an earlier build left would hide what registries give today.
    const options = { t: tag, buildargs: Object.fromEntries(lent), forcerm: true, nocache: true };
    const stream = await docker.buildImage(context, options);
    await followBuild(docker, stream, report);
  } finally {
    if (bundle) rmSync(copied, { force: true });
  }
}

/** Waits for an engine's progress stream and fails with the error that it carries: the HTTP status came too early to know. */
export async function followBuild(
  docker: Docker,
  stream: NodeJS.ReadableStream,
  report: (line: string) => void,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(
      stream,
      (error: Error | null) => (error ? reject(error) : resolve()),
      (event: { stream?: string; error?: string }) => {
        if (event.error) reject(new Error(event.error));
        const line = event.stream?.trim();
        if (line?.startsWith('Step')) report(line);
      },
    );
  });
}
