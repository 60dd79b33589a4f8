import type { RolloutResult } from '../contract';
import { verdict } from '../view/verdict';
import type { Cli } from './context';
import { look } from './terminal';

/** What `--wait --json` prints: the result with the patch as text. */
export type RolloutAnswer = Omit<RolloutResult, 'patch'> & { readonly patch: string | null };

export async function answerOf(cli: Cli, result: RolloutResult): Promise<RolloutAnswer> {
  const { patch, ...rest } = result;
  return { ...rest, patch: patch ? (await cli.blobs.get(patch.sha256)).toString('utf8') : null };
}

export async function printAnswer(cli: Cli, result: RolloutResult): Promise<void> {
  const answer = await answerOf(cli, result);
  cli.print(answer, () =>
    [`${result.id}: ${verdict(result, look())}`, `\`pointsman rollout show ${result.id}\` prints the trajectory`].join(
      '\n',
    ),
  );
}
