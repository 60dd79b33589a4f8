import { isPointsmanError } from '../contract/errors';
import { ensureChromium } from './chromium';
import type { Provided, Report } from './command';
import { ensureDocker } from './docker';
import { ensureImage } from './image';
import { ensureTemporal } from './temporal';

/** `tsx src/machine/main.ts ensure temporal docker image chromium`: what bin/fresh calls. Everything goes to stderr. */
const STEPS: Record<string, (report: Report) => Promise<Provided>> = {
  temporal: ensureTemporal,
  docker: ensureDocker,
  image: ensureImage,
  chromium: ensureChromium,
};

async function ensure(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const step = STEPS[name];
    if (!step) throw new Error(`there is no step '${name}': ${Object.keys(STEPS).join(', ')}`);
    const start = Date.now();
    const { what, found, made } = await step((doing) => console.error(`▸ ${name}: ${doing}`));
    const seconds = ((Date.now() - start) / 1000).toFixed(1);
    console.error(`✔ ${what} ${found}${made ? ` (${seconds} s)` : ''}`);
  }
}

function explain(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`✖ ${message}`);
  if (isPointsmanError(error) && error.hint) console.error(`  ${error.hint}`);
  process.exitCode = 1;
}

const [verb, ...names] = process.argv.slice(2);
if (verb !== 'ensure' || names.length === 0) {
  console.error(`Usage: src/machine/main.ts ensure ${Object.keys(STEPS).join('|')} …`);
  process.exitCode = 2;
} else {
  ensure(names).catch(explain);
}
