import { quote } from '../agent/shell';
import type { Ref, RepoSetupResult } from '../contract';
import { safeLine } from '../view/safe-text';
import { claimLines } from '../view/setup/header';
import type { Cli } from './context';
import { look } from './terminal';

/** What `--wait --json` prints: who says what as one word each, bodies as text, the rest as the workflow gives it. */
export type SetupAnswer = Omit<RepoSetupResult, 'verifier' | 'verdict' | 'dockerfile' | 'script' | 'lock'> & {
  readonly verdict: 'not_guilty' | 'guilty' | 'error' | null;
  readonly verifier: boolean | null;
  readonly dockerfile: string | null;
  readonly script: string | null;
  readonly lock: string | null;
  readonly verification: RepoSetupResult['verifier'];
  readonly charges: NonNullable<RepoSetupResult['verdict']>['charges'];
  readonly findings: NonNullable<RepoSetupResult['verdict']>['findings'];
};

export async function setupAnswer(cli: Cli, result: RepoSetupResult): Promise<SetupAnswer> {
  const { verifier, verdict, dockerfile, script, lock, ...rest } = result;
  const text = async (ref: Ref | null) => (ref ? (await cli.blobs.get(ref.sha256)).toString('utf8') : null);
  return {
    ...rest,
    verdict: verdict?.verdict ?? null,
    verifier: verifier?.success ?? null,
    dockerfile: await text(dockerfile),
    script: await text(script),
    lock: await text(lock),
    verification: verifier,
    charges: verdict?.charges ?? [],
    findings: verdict?.findings ?? [],
  };
}

/** Verified, and not guilty where it was judged. */
export function succeeded({ status, verdict }: Pick<RepoSetupResult, 'status' | 'verdict'>): boolean {
  return status === 'verified' && (verdict === null || verdict.verdict === 'not_guilty');
}

export async function printSetupAnswer(cli: Cli, result: RepoSetupResult): Promise<void> {
  const answer = await setupAnswer(cli, result);
  cli.print(answer, () => answerText(result).join('\n'));
}

function answerText(result: RepoSetupResult): string[] {
  const id = quote(result.id);
  const { status, detail, reproduced, reproducedDetail, image } = result;
  const again = reproduced ? 'yes' : `no${reproducedDetail ? ` (${safeLine(reproducedDetail)})` : ''}`;
  return [
    `${result.id}: ${status.replaceAll('_', ' ')}${detail ? ` (${safeLine(detail)})` : ''}`,
    ...claimLines(result, look()),
    ...(reproduced === null ? [] : [`reproduced from the script: ${again}`]),
    ...(image ? [`image ${image}`] : []),
    '',
    `pointsman setup show ${id}`,
    ...(image
      ? [
          `pointsman setup show ${id} --dockerfile > Dockerfile`,
          `pointsman setup show ${id} --script > install.sh`,
          `docker run --rm -it -w ${quote(result.workdir)} ${quote(image)} bash`,
        ]
      : []),
  ];
}
