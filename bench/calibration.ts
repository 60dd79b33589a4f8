import Docker from 'dockerode';
import type { Environment } from '../test/setup/calibration/environment';
import { HELD_OUT } from '../test/setup/calibration/environments/held-out';
import { TUNED } from '../test/setup/calibration/environments/tuned';
import { type Judged, judgeEnvironment } from '../test/setup/calibration/runner';

const HALVES: Readonly<Record<string, readonly Environment[]>> = { tuned: TUNED, 'held-out': HELD_OUT };

/**
 * How well verifier, prosecutor and judge without a model tell good environments from bad ones, on environments with a
 * fault that we put there. The rules were written on one half and then frozen; the other half is what to believe.
 * Arguments choose environments by a part of their names.
 */
export async function benchCalibration(only: string[]): Promise<void> {
  const docker = new Docker();
  for (const [name, half] of Object.entries(HALVES)) {
    const chosen = half.filter(({ id }) => only.length === 0 || only.some((part) => id.includes(part)));
    const judged: Judged[] = [];
    for (const environment of chosen) {
      const one = await judgeEnvironment(docker, environment);
      judged.push(one);
      const mark = isMiss(one) ? 'MISS' : 'ok  ';
      console.error(
        `${mark} ${environment.id}: ${one.verdict}, verifier ${one.verifier.success}, ${one.runs} runs, ${one.seconds.toFixed(1)} s`,
      );
      if (isMiss(one) || only.length > 0) explain(one);
    }
    if (judged.length > 0) report(name, judged);
  }
}

const isMiss = ({ verdict, environment }: Judged) => verdict !== (environment.fault === null ? 'not_guilty' : 'guilty');

function explain({ environment, verifier, charges }: Judged): void {
  console.error(`     seeded: ${environment.fault ?? 'nothing'}`);
  console.error(
    `     verifier: ${JSON.stringify(verifier.counts)} ${verifier.hint} ${JSON.stringify(verifier.failures)}`,
  );
  for (const charge of charges) console.error(`     ${charge}`);
}

function report(name: string, judged: readonly Judged[]): void {
  const count = (faulty: boolean, verdict: Judged['verdict']) =>
    judged.filter((one) => (one.environment.fault !== null) === faulty && one.verdict === verdict).length;
  const [caught, wronged] = [count(true, 'guilty'), count(false, 'guilty')];
  const faulty = judged.filter(({ environment }) => environment.fault !== null).length;
  const share = (part: number, whole: number) =>
    whole === 0 ? '–' : `${part}/${whole} = ${((100 * part) / whole).toFixed(0)} %`;
  console.log(`\n### ${name}: ${judged.length} environments\n`);
  console.log('| seeded | guilty | not guilty | error |\n|---|---|---|---|');
  for (const seeded of [true, false]) {
    console.log(
      `| ${seeded ? 'a fault' : 'nothing'} | ${count(seeded, 'guilty')} | ${count(seeded, 'not_guilty')} | ${count(seeded, 'error')} |`,
    );
  }
  console.log(`\nprecision ${share(caught, caught + wronged)}, recall ${share(caught, faulty)}`);
  const passed = judged.filter(({ verifier, environment }) => verifier.success && environment.fault !== null);
  console.log(`of the faulty ones the verifier alone would have passed ${passed.length}`);
  const seconds = judged.map((one) => one.seconds).sort((a, b) => a - b);
  console.log(`${(seconds[Math.floor(seconds.length / 2)] ?? 0).toFixed(1)} s each (median)`);
  for (const one of judged.filter(isMiss)) {
    console.log(
      `- miss: ${one.environment.id} (${one.environment.fault ?? 'nothing seeded'}): ${one.verdict}; ${one.charges.join('; ')}`,
    );
  }
}
