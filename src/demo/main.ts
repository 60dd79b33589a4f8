import { isPointsmanError } from '../contract';
import { pipelineDemo } from './pipeline';
import { problemsDemo } from './problems';
import { rolloutDemo } from './rollout';
import { setupDemo } from './setup';

/** What `npm run demo NAME` shows. A new demo is one more entry. */
const DEMOS: Readonly<Record<string, () => Promise<void>>> = {
  pipeline: pipelineDemo,
  rollout: rolloutDemo,
  setup: setupDemo,
  problems: problemsDemo,
};

async function main(name = 'pipeline'): Promise<void> {
  const demo = DEMOS[name];
  if (!demo) {
    console.error(`no demo "${name}" (there are: ${Object.keys(DEMOS).join(', ')})`);
    process.exit(2);
  }
  await demo();
}

main(process.argv[2]).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`\n✖ ${error instanceof Error ? error.message : String(error)}`);
    if (isPointsmanError(error) && error.hint) console.error(`  → ${error.hint}`);
    process.exit(1);
  },
);
