import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { pointsmanHome, REPOSITORY } from '../home';
import { roomsWithin } from '../rooms';

/** What `bin/build.cjs` made of the sources, as a package has it. */
const CODE = join(REPOSITORY, 'dist');
/** Folders of what workflow code may hold; anything else is refused by the bundler. */
const BUNDLED = [...roomsWithin('workflows')].map((room) =>
  room === 'packages/python' ? dirname(require.resolve('@pointsman/python')) : join(CODE, room),
);

/**
 * The workflow code as one file, built once for its content: every worker and test that starts on the same sources takes
 * the same file, and building (3 s) happens only after an edit.
 */
export async function workflowBundle(): Promise<{ codePath: string }> {
  const folder = join(pointsmanHome(), 'bundles');
  const codePath = join(folder, `${digest()}.js`);
  if (existsSync(codePath)) return { codePath };
  mkdirSync(folder, { recursive: true });
  const quiet = () => {};
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(CODE, 'workflows', 'index.js'),
    logger: { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: console.error, error: console.error },
  });
  const temporary = `${codePath}.${process.pid}`;
  writeFileSync(temporary, code);
  renameSync(temporary, codePath);
  return { codePath };
}

function digest(): string {
  const hash = createHash('sha256').update(readFileSync(join(REPOSITORY, 'package.json')));
  for (const folder of BUNDLED) {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    for (const name of files.sort()) hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex').slice(0, 24);
}
