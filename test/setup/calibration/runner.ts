import { createHash, randomUUID } from 'node:crypto';
import type Docker from 'dockerode';
import {
  type Evidence,
  type JudgeMove,
  type ProsecutorMove,
  SandboxProfile,
  type VerifierMove,
  type VerifierResult,
} from '../../../src/contract';
import { removeImage } from '../../../src/sandbox/docker/images';
import { runInThrowaway } from '../../../src/sandbox/docker/throwaway';
import { runLabels } from '../../../src/sandbox/labels';
import type { ThrowawaySpec } from '../../../src/sandbox/sandbox';
import { findingsOf, refusal } from '../../../src/setup/findings';
import { surveyOf } from '../../../src/setup/repository/markers';
import { judge } from '../../../src/setup/roles/judge';
import { prosecutor } from '../../../src/setup/roles/prosecutor';
import type { Case, Observed, Seen, SeenAction } from '../../../src/setup/roles/role';
import { verifier } from '../../../src/setup/roles/verifier';
import { chargesOf, verdictOf, verifierResult } from '../../../src/setup/verdict';
import type { Environment } from './environment';
import { makeEnvironment, toolchainImage } from './images';

export interface Judged {
  readonly environment: Environment;
  readonly verifier: VerifierResult;
  readonly verdict: 'not_guilty' | 'guilty' | 'error';
  /** What was charged, and what became of it. */
  readonly charges: readonly string[];
  readonly seconds: number;
  /** Commands in throw-away containers. */
  readonly runs: number;
}

const NOTHING: Observed = { exitCode: null, output: '', timedOut: false };
const MOST_MOVES = 40;

/** Makes an environment, lets the three roles play over it, removes it again. */
export async function judgeEnvironment(docker: Docker, environment: Environment): Promise<Judged> {
  const made = await makeEnvironment(
    docker,
    await toolchainImage(docker, environment.toolchain),
    environment.files,
    environment.steps,
    `${environment.id}-${process.pid}`,
  );
  const began = Date.now();
  const owner = { workflowId: `calibration/${environment.id}`, firstRunId: randomUUID() };
  const spec: ThrowawaySpec = {
    owner,
    role: 'examine',
    image: made.image,
    workdir: '/repo',
    cwd: made.cwd,
    env: made.env,
    profile: SandboxProfile.parse({}),
    services: environment.services ?? [],
  };
  let runs = 0;
  const outputs = new Map<Evidence, string>();
  const run = async (command: string, files: { path: string; content: string }[] = []) => {
    runs += 1;
    const done = await runInThrowaway(docker, runLabels(owner), spec, { command, files, timeoutMs: 120_000 });
    const output = done.output.toString('utf8');
    const { exitCode, timedOut } = done;
    const sha256 = createHash('sha256').update(done.output).digest('hex');
    const evidence: Evidence = {
      command,
      exitCode,
      timedOut,
      output: { sha256, bytes: done.output.length },
      preview: output.slice(0, 400),
    };
    outputs.set(evidence, output);
    return { observed: { exitCode, output, timedOut }, evidence };
  };
  const play = async <Move extends { move: string }>(
    decide: (seen: readonly Seen<Move>[]) => Move,
    perform: (move: Move) => Promise<{ observed: Observed; evidence: Evidence } | null>,
    done: (seen: readonly Seen<Move>[]) => boolean,
  ) => {
    const seen: Seen<Move>[] = [];
    const evidence: (Evidence | null)[] = [];
    while (!done(seen) && seen.length < MOST_MOVES) {
      const move = decide(seen);
      const performed = await perform(move);
      seen.push({ move, observed: performed?.observed ?? NOTHING });
      evidence.push(performed?.evidence ?? null);
    }
    return { seen, evidence };
  };
  try {
    const steps: SeenAction[] = made.steps.map(({ command, exitCode, output }, at) => ({
      turn: at + 1,
      move: { action: 'shell', thought: '', command },
      observed: { exitCode, output, timedOut: false },
      undone: false,
      notes: [],
    }));
    const dossier: Case = {
      source: `dir:${environment.id}`,
      goal: 'The tests run.',
      workdir: '/repo',
      survey: surveyOf(Object.entries(environment.files)),
      components: [],
      services: environment.services ?? [],
      wanted: environment.wanted ?? [],
      steps,
      claim: 'Everything is set up.',
    };
    const verified = await play<VerifierMove>(
      (seen) => verifier({ ...dossier, hint: '' }, seen),
      async (move) => {
        if (move.move === 'classify' || move.move === 'conclude') return null;
        return run(move.command, move.move === 'smoke' ? [{ path: move.path, content: move.content }] : []);
      },
      (seen) => seen.at(-1)?.move.move === 'conclude',
    );
    const result = verifierResult(verified.seen, verified.evidence, 'head');
    const accused = { ...dossier, verifier: result, verifierMoves: verified.seen };
    const prosecuted = await play<ProsecutorMove>(
      (seen) => prosecutor(accused, seen),
      async (move) => (move.move === 'rest' ? null : run(move.command)),
      (seen) => seen.at(-1)?.move.move === 'rest',
    );
    const charges = chargesOf(prosecuted.seen, prosecuted.evidence);
    const heard = { ...accused, charges: charges.map((one) => ({ ...one, output: outputs.get(one.evidence) ?? '' })) };
    const judged = await play<JudgeMove>(
      (seen) => judge(heard, seen),
      async (move) => {
        if (move.move !== 'rerun') return null;
        return run(move.command!);
      },
      (seen) => {
        const found = new Set(seen.filter(({ move }) => move.move === 'find').map(({ move }) => move.charge));
        return charges.every(({ id }) => found.has(id));
      },
    );
    for (const [at, { move }] of judged.seen.entries()) {
      const refused = refusal(judged.seen.slice(0, at), move, charges);
      if (refused) throw new Error(`${environment.id}: ${refused}`);
    }
    const findings = findingsOf(judged.seen, judged.evidence, charges);
    const rested = prosecuted.seen.at(-1)?.move.move === 'rest';
    const { verdict } = verdictOf(charges, findings, rested ? undefined : 'the prosecutor did not rest');
    return {
      environment,
      verifier: result,
      verdict,
      charges: charges.map(({ id, kind, claim }) => {
        const finding = findings.find(({ charge }) => charge === id);
        return `${kind}: ${claim} -> ${finding?.upheld ? 'upheld' : 'dismissed'} ${finding?.ground} (${finding?.why})`;
      }),
      seconds: (Date.now() - began) / 1000,
      runs,
    };
  } finally {
    await removeImage(docker, made.image);
  }
}
