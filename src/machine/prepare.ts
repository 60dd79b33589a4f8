import { ensureChromium } from './chromium';
import type { Provided, Report } from './command';
import { ensureDocker } from './docker';
import { ensureImage } from './image';
import { ensureTemporal } from './temporal';

/** What can be installed, and how. */
const STEPS = {
  temporal: ensureTemporal,
  docker: ensureDocker,
  image: ensureImage,
  chromium: ensureChromium,
} satisfies Record<string, (report: Report) => Promise<Provided>>;

export type Preparation = keyof typeof STEPS;
export const PREPARATIONS = Object.keys(STEPS) as Preparation[];

/** Installs what is missing of these, in their order. Throws `Unavailable` with what to do where it cannot. */
export async function prepare(names: readonly Preparation[], say: (line: string) => void): Promise<void> {
  for (const name of names) {
    const start = performance.now();
    const { what, found, made } = await STEPS[name]((doing) => say(`▸ ${name}: ${doing}`));
    say(`✔ ${what} ${found}${made ? ` (${((performance.now() - start) / 1000).toFixed(1)} s)` : ''}`);
  }
}
