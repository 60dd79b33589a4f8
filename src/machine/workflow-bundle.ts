import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { pointsmanHome, REPOSITORY } from '../home';
import { folderOf, roomsWithin } from '../rooms';

/** Folders of what workflow code may hold; anything else is refused by the bundler. */
const BUNDLED = [...roomsWithin('workflows')].map(folderOf);

/**
 * The workflow code as one file, built once for its content: every worker and test that starts on the same sources takes
 * the same file, and building (3 s) happens only after an edit.
 */
export async function workflowBundle(): Promise<{ codePath: string }> {
  const folder = join(pointsmanHome(), 'bundles');
  const codePath = join(folder, `${digestOf(REPOSITORY)}.js`);
  if (existsSync(codePath)) return { codePath };
  mkdirSync(folder, { recursive: true });
  const quiet = () => {};
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(REPOSITORY, 'src', 'workflows', 'index.ts'),
    logger: { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: console.error, error: console.error },
  });
  const temporary = `${codePath}.${process.pid}`;
  writeFileSync(temporary, code);
  renameSync(temporary, codePath);
  return { codePath };
}

function digestOf(root: string): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const room of BUNDLED) {
    const files = readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    for (const name of files.sort()) hash.update(name).update(readFileSync(join(root, room, name)));
  }
  return hash.digest('hex').slice(0, 24);
}
