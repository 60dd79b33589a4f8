import { PointsmanError, type RepoSetupInput, type TestCounts, type VerifierResult } from '../contract';
import { openSandboxes } from '../sandbox';
import type { Sandboxes, ThrowawaySpec } from '../sandbox/sandbox';
import type { Given } from '../setup/given';
import { readCounts } from '../setup/test-output';
import type { BlobStore } from '../store/blobs';
import { SetupChains } from '../store/setup-chains';
import { ENVIRONMENT_SCOPE, environmentOwner, type KeptResult } from './environment-folder';

/** How the tests of a verified set-up ended on an image that was made again. */
export interface TestsAgain {
  /** Whether as many passed, failed and were skipped; of a smoke test, whether it passed. */
  readonly same: boolean;
  /** What differed. */
  readonly detail?: string;
  /** What was counted; a smoke test has no counts. */
  readonly counts?: TestCounts;
}

/** Characters of output that a difference is explained with. */
const SHOWN = 800;

/**
 * Runs the tests that the verifier passed in a throw-away container of another image, without a network but that of `spec`,
 * and compares what they come to. A difference is an answer; only an outage is thrown.
 */
export async function runVerifiedTests(
  { sandboxes, chains }: { readonly sandboxes: Sandboxes; readonly chains: SetupChains },
  spec: ThrowawaySpec,
  verifier: VerifierResult,
  { seconds, signal }: { readonly seconds: number; readonly signal?: AbortSignal },
): Promise<TestsAgain> {
  const command = verifier.evidence?.command ?? 'false';
  const files = verifier.smoke ? await smokeTest(chains, verifier.head) : [];
  const request = { command, files, timeoutMs: seconds * 1000, signal };
  const { exitCode, output } = await sandboxes.throwaway(spec, request);
  const said = output.toString('utf8');
  if (verifier.smoke) return exitCode === 0 ? { same: true } : { same: false, detail: said.slice(-SHOWN) };
  const counts = readCounts(command, said)?.counts;
  if (!counts) return { same: false, detail: `no test was read from: ${said.trim().slice(-SHOWN)}` };
  const detail = differences(verifier.counts, counts);
  return detail === '' ? { same: true, counts } : { same: false, detail, counts };
}

/** Throws `InvalidInput` where the tests of an environment need services beside it, which nobody starts here. */
export function assertTestable({ services }: KeptResult): void {
  const beside = services.filter(({ kind }) => kind === 'container').map(({ name }) => name);
  if (beside.length === 0) return;
  throw new PointsmanError(
    'InvalidInput',
    `--test: the tests need ${beside.join(', ')} beside the image`,
    'Start them yourself, as services.json says, and run the test command that `pointsman setup show` prints.',
  );
}

/** The same on an image that the engine built of an environment's folder, with the limits of the set-up. */
export async function testEnvironment(
  blobs: BlobStore,
  result: KeptResult,
  image: string,
  { sandbox, limits }: Pick<RepoSetupInput, 'sandbox' | 'limits'>,
): Promise<TestsAgain> {
  const { services, workdir, verifier } = result;
  const chains = new SetupChains(blobs);
  const { opening } = await chains.chain(result.head);
  const sandboxes = openSandboxes(ENVIRONMENT_SCOPE);
  const found = await sandboxes.images.find(image);
  const { components } = JSON.parse((await blobs.get(opening.given.sha256)).toString('utf8')) as Given;
  const spec: ThrowawaySpec = {
    owner: environmentOwner(result, result.sha256),
    role: 'tests',
    image,
    services,
    workdir,
    // The image's own variables: they say which caches tests write to.
    env: found?.env ?? {},
    cwd: workdir,
    components: components.map((part) => part.workdir),
    profile: sandbox,
  };
  return runVerifiedTests({ sandboxes, chains }, spec, verifier!, { seconds: limits.commandSeconds });
}

/** The file that the verifier wrote last: it is in no image. */
async function smokeTest(chains: SetupChains, head: string): Promise<{ path: string; content: string }[]> {
  const { steps } = await chains.chain(head);
  const last = steps.map(({ turn }) => turn.move).findLast(({ move }) => move === 'smoke');
  return last ? [{ path: String(last.path), content: String(last.content) }] : [];
}

function differences(before: TestCounts, after: TestCounts): string {
  return (Object.keys(before) as (keyof TestCounts)[])
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${before[name]} before, ${after[name]} now`)
    .join(', ');
}
