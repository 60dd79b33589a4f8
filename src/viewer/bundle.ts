import { join } from 'node:path';
import { build } from 'esbuild';
import type { Bundle } from '../page/viewer/document';

const CLIENT = join(__dirname, '..', 'page', 'viewer', 'client');

let bundled: Promise<Bundle> | undefined;

/** The page's script and style out of their sources: quick enough that there is no build step, once a process. */
export function viewerBundle(): Promise<Bundle> {
  bundled ??= make();
  return bundled;
}

async function make(): Promise<Bundle> {
  const { outputFiles } = await build({
    entryPoints: { viewer: join(CLIENT, 'main.ts'), style: join(CLIENT, 'style.css') },
    outdir: 'out',
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'silent',
    tsconfigRaw: {},
  });
  const text = (suffix: string) => outputFiles.find(({ path }) => path.endsWith(suffix))!.text;
  return { script: text('viewer.js'), style: text('style.css') };
}
