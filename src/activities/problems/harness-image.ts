import type { FunctionEnvironment, Subject } from '../../contract';
import type { Deps } from '../../deps';
import { ensureHarnessImage, type HarnessImage } from '../../environments/harness/tools-image';
import { needImage } from '../../environments/travel';
import type { Owner } from '../../sandbox/labels';

/** Environments that are being made ready: many ask at once, and one of them makes it for all. */
const inTheMaking = new Map<string, Promise<HarnessImage>>();

/** The environment with our tools, the same for all functions of it. Retry-safe: one that is there is taken. */
export function harnessImageOf(
  deps: Deps,
  owner: Owner,
  { image }: Pick<FunctionEnvironment, 'image'>,
  { workdir, python, importRoots }: Subject,
  signal: AbortSignal,
): Promise<HarnessImage> {
  const wanted = { image, workdir, python, importRoots, modules: [] };
  const key = JSON.stringify(wanted);
  const making =
    inTheMaking.get(key) ??
    needImage(deps, image)
      .then(() => ensureHarnessImage(deps, owner, wanted, signal))
      .finally(() => inTheMaking.delete(key));
  inTheMaking.set(key, making);
  return making;
}
