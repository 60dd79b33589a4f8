import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { addPrompts } from './activities/prompts';
import { PointsmanError } from './contract/errors';
import { addExporter } from './dataset/exporters';
import { addExtensions, type Extensions } from './extend';
import { pointsmanHome, REPOSITORY } from './home';
import { addBackend, type MakeSandboxes } from './sandbox';

/** What extensions import by our name, as this process has it, and, of the first, the sandbox of workflows. */
const OURS: Readonly<Record<string, string>> = {
  'pointsman/extend': join(REPOSITORY, 'dist', 'extend.js'),
  pointsman: join(REPOSITORY, 'dist', 'index.js'),
};

let used: Promise<readonly string[]> | undefined;

/**
 * Makes the extensions of the configuration (`namedExtensions`) known in this process, once, before the rest of it is read.
 * Gives the files that workflow code is bundled with. Throws `InvalidInput` where one cannot be read, or where it brings a
 * name that is taken.
 */
export function useExtensions(files: readonly string[]): Promise<readonly string[]> {
  used ??= Promise.all(files.map((file) => use(file, pointsmanHome())));
  return used;
}

async function use(file: string, home: string): Promise<string> {
  const code = await compiled(file, home, 'inside');
  const extensions = defaultOf<Extensions>(code, file, 'object');
  try {
    addExtensions(extensions);
    extensions.exporters?.forEach(addExporter);
    for (const [name, path] of Object.entries(extensions.backends ?? {})) {
      const backend = resolve(dirname(file), path);
      addBackend(name, defaultOf<MakeSandboxes>(await compiled(backend, home, 'outside'), backend, 'function'));
    }
  } catch (error) {
    throw unreadable(file, error);
  }
  if (extensions.prompts) addPrompts(resolve(dirname(file), extensions.prompts));
  return code;
}

/** One file of JavaScript with all that it imports but us; packages too where workflows are to run it. */
async function compiled(file: string, home: string, packages: 'inside' | 'outside'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    logLevel: 'silent',
    ...(packages === 'outside' ? { packages: 'external' } : {}),
    plugins: [
      {
        name: 'pointsman',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^pointsman(\/extend)?$/ }, ({ path }) =>
            path === 'pointsman' && packages === 'inside'
              ? { errors: [{ text: "it imports 'pointsman': workflows run it too, so take 'pointsman/extend'" }] }
              : { path: OURS[path], external: true },
          ),
      },
    ],
  }).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  const text = outputFiles[0]!.text;
  // Beside the file, so that what it leaves outside is found from there.
  const folder =
    packages === 'outside' ? join(dirname(file), 'node_modules', '.cache', 'pointsman') : join(home, 'bundles');
  const path = join(folder, `extension-${createHash('sha256').update(text).digest('hex').slice(0, 24)}.cjs`);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(path)) writeFileSync(path, text);
  return path;
}

function defaultOf<T>(code: string, file: string, type: 'object' | 'function'): T {
  let found: { default?: T };
  try {
    found = require(code);
  } catch (error) {
    throw unreadable(file, error);
  }
  if (typeof found.default === type && found.default) return found.default;
  const hint =
    type === 'object'
      ? "Write `export default defineExtensions({ … })`, from 'pointsman/extend'."
      : 'Write `export default` and a function that makes the sandboxes (`MakeSandboxes`).';
  throw new PointsmanError('InvalidInput', `extension ${file}: its default export is no ${type}`, hint);
}

function unreadable(file: string, error: unknown): PointsmanError {
  const why = error instanceof Error ? error.message : String(error);
  return new PointsmanError('InvalidInput', `extension ${file}: ${why}`, 'docs/extending.md shows one of each kind.');
}
