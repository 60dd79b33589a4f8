import { isPointsmanError } from '../contract/errors';
import { canInstallPackages, installPackages, isExecutable, onPath, type Provided, type Report } from './command';
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

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const HINT = 'Install Chromium or Chrome (Debian: apt-get install chromium), or name one in CHROME.';

/** A browser that is installed here; `CHROME` names one elsewhere. */
export function chromiumBinary(): string | undefined {
  const named = process.env.CHROME;
  if (named) return isExecutable(named) ? named : undefined;
  return NAMES.flatMap(onPath)[0];
}

/**
 * The browser that pages are tested in. Without one, as root on Debian, installs its `chromium`. A machine that cannot have
 * one tests everything else, and this says so.
 */
export async function ensureChromium(report: Report): Promise<Provided> {
  const installed = chromiumBinary();
  if (installed) return provided(installed, false);
  if (canInstallPackages()) {
    await installPackages(['chromium', 'fonts-dejavu-core'], report, HINT).catch((error: Error) =>
      report(`it could not be installed: ${error.message}`),
    );
  }
  const made = chromiumBinary();
  if (made) return provided(made, true);
  report(`there is none. ${HINT}`);
  return provided('none: tests of pages are skipped', false);
}

function provided(found: string, made: boolean): Provided {
  return { what: 'Chromium', found, made };
}
