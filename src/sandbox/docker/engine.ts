import { PointsmanError } from '../../contract/errors';

export function statusOf(error: unknown): number | undefined {
  return (error as { statusCode?: number }).statusCode;
}

/** Runs an engine call whose object may be gone already: 404 is success, so removal may be retried. */
export async function ignoreMissing(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (statusOf(error) !== 404) throw error;
  });
}

/** What the engine answers with 400 to: no attempt makes it another request. */
export function refused(image: string, error: unknown): PointsmanError {
  return new PointsmanError(
    'InvalidInput',
    `the engine makes no container of ${image} as it is asked for: ${error instanceof Error ? error.message : error}`,
    'Change what it names: in the sandbox profile of the run, or in what the problem needs.',
  );
}

/** The image of a frame is no longer there: somebody pruned the engine's images. What was recorded makes it again. */
export function frameLost(image: string): PointsmanError {
  return new PointsmanError(
    'FrameLost',
    `the frame ${image} is not on this host`,
    'Start the set-up again; its frames are made anew.',
  );
}
