import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureTurns } from '../src/activities/analysis/covariate-shift';
import { groundOf, rangesOf, tasksOf } from '../src/activities/analysis/covariate-shift-ground';
import type { EmbeddedTrajectory, ShiftPlan, ShiftPoint } from '../src/contract';
import { hashKey, uniformUnit } from '../src/rollout/random';
import { FileBlobs } from '../src/store/local/blobs';

const [INSTANCES, ROLLOUTS, TURNS, DIMENSIONS] = [10, 50, 40, 4096];
const GROUPS = ['expert', 'student'];
const WORK = join(tmpdir(), 'pointsman-bench-shift');
const LANES = 2;
const OPTIONS = {
  replicateSize: 10,
  bootstrapReplicates: 5,
  over: 'pooled',
  ridge: 1e-3,
  pcaDimensions: 8,
  permutations: 200,
  seed: 1,
} as const;

interface Taken {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
  /** Squared Fréchet distance of each turn. */
  readonly fd2: readonly number[];
  readonly kl: readonly number[];
}

/**
 * The paper's size, 10 instances × 50 rollouts × 40 turns of 4,096 dimensions for a student and an expert, measured beside
 * numpy on the same vectors, each in a process of its own, one after the other. `--turns N` for fewer turns.
 */
export async function benchShift(args: string[]): Promise<void> {
  const at = args.indexOf('--turns');
  const turns = at < 0 ? TURNS : Number(args[at + 1]);
  if (args.includes('--one')) return measureOne(turns);
  mkdirSync(WORK, { recursive: true });
  try {
    await writeVectors(turns);
    const ours = ran(process.execPath, [
      '--import',
      'tsx',
      join(__dirname, 'main.ts'),
      'shift',
      '--one',
      '--turns',
      `${turns}`,
    ]);
    const python = numpy();
    const theirs = (way: string, n: number) => ran(python, [join(__dirname, 'shift_numpy.py'), WORK, way, `${n}`]);
    const batched = theirs('batched', turns);
    const few = Math.min(turns, 2);
    const pairs = theirs('pairs', few);
    console.log(
      `${INSTANCES} × ${ROLLOUTS} rollouts a group, ${turns} turns, ${DIMENSIONS} dimensions; ${cpus().length} cores\n`,
    );
    console.log('| | turns | s | CPU s | MB | s a turn |\n|---|---|---|---|---|---|');
    console.log(row('ours, 200 permutations', ours, turns));
    console.log(row('numpy, our algorithm, all pairs at once, 200 permutations', batched, turns));
    console.log(row('numpy, pair by pair, FD and KL alone', pairs, few));
    const apart = (of: 'fd2' | 'kl', other: Taken) =>
      Math.max(...other[of].map((value, turn) => Math.abs(value - ours[of][turn]!) / value));
    console.log(
      `\nlargest relative difference of means to numpy's: FD² ${apart('fd2', batched).toExponential(1)}, KL ${apart('kl', batched).toExponential(1)}` +
        ' (other draws of replicates; the tests compare figures of the same ones)',
    );
  } finally {
    rmSync(WORK, { recursive: true, force: true });
  }
}

function row(name: string, { seconds, cpuSeconds, megabytes }: Taken, turns: number): string {
  return `| ${name} | ${turns} | ${seconds.toFixed(1)} | ${cpuSeconds.toFixed(1)} | ${megabytes.toFixed(0)} | ${(seconds / turns).toFixed(2)} |`;
}

/** As the workflow does it: ranges of turns in two lanes, each with a thread; vectors read from blobs. */
async function measureOne(turns: number): Promise<void> {
  const started = performance.now();
  const blobs = new FileBlobs(join(WORK, 'blobs'));
  const plan = JSON.parse(readFileSync(join(WORK, 'plan.json'), 'utf8')) as ShiftPlan;
  const embedded = JSON.parse(readFileSync(join(WORK, 'embedded.json'), 'utf8')) as EmbeddedTrajectory[];
  const ground = groundOf(plan, embedded);
  const ranges = rangesOf(ground, 'student', 'expert');
  const points: ShiftPoint[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      while (next < ranges.length) {
        const range = { ...ranges[next++]!, expert: 'expert', options: OPTIONS };
        for await (const point of measureTurns(tasksOf(blobs, ground, range), new AbortController().signal))
          points.push(point);
      }
    }),
  );
  points.sort((a, b) => a.turn - b.turn);
  const { user, system } = process.cpuUsage();
  const taken: Taken = {
    seconds: (performance.now() - started) / 1000,
    cpuSeconds: (user + system) / 1e6,
    megabytes: process.resourceUsage().maxRSS / 1024,
    fd2: points.map(({ fd2 }) => fd2!.mean),
    kl: points.map(({ kl }) => kl!.mean),
  };
  if (points.length !== turns) throw new Error(`${points.length} turns measured`);
  console.log(JSON.stringify(taken));
}

/** Trajectories that drift: a few common directions, more of them apart with every turn, and noise; vectors of length 1. */
async function writeVectors(turns: number): Promise<void> {
  const blobs = new FileBlobs(join(WORK, 'blobs'));
  const stream = hashKey('bench shift');
  const noise = () => uniformUnit(stream) - 0.5;
  const common = Array.from({ length: 24 }, () => Float32Array.from({ length: DIMENSIONS }, noise));
  const trajectories: ShiftPlan['trajectories'][number][] = [];
  const embedded: EmbeddedTrajectory[] = [];
  for (const [group, name] of GROUPS.entries()) {
    for (let n = 0; n < INSTANCES * ROLLOUTS; n++) {
      const weights = common.map(() => noise());
      const all = new Float32Array(turns * DIMENSIONS);
      for (let turn = 0; turn < turns; turn++) {
        for (const [place, each] of weights.entries()) weights[place] = each * 0.95 + noise() * 0.3;
        weights[group] = weights[group]! + 0.02;
        const vector = all.subarray(turn * DIMENSIONS, (turn + 1) * DIMENSIONS);
        for (let k = 0; k < DIMENSIONS; k++) vector[k] = 0.3 * noise();
        for (const [place, each] of common.entries())
          for (let k = 0; k < DIMENSIONS; k++) vector[k]! += weights[place]! * each[k]!;
        const length = Math.hypot(...vector);
        for (let k = 0; k < DIMENSIONS; k++) vector[k]! /= length;
      }
      const id = `${name}/${n}`;
      const vectors = await blobs.put(new Uint8Array(all.buffer));
      trajectories.push({ id, instance: `i${n % INSTANCES}`, head: '', turns, groups: [name] });
      embedded.push({ id, turns, dimensions: DIMENSIONS, vectors, cost: { usd: 0, tokens: 0 } });
    }
  }
  writeFileSync(join(WORK, 'plan.json'), JSON.stringify({ instances: [], trajectories }));
  writeFileSync(join(WORK, 'embedded.json'), JSON.stringify(embedded));
  // For Python: the file of each trajectory, experts first.
  writeFileSync(
    join(WORK, 'files.json'),
    JSON.stringify(embedded.map(({ vectors }) => blobs.addressOf(vectors!.sha256))),
  );
}

function numpy(): string {
  const venv = join(tmpdir(), 'pointsman-bench-numpy');
  const python = join(venv, 'bin', 'python');
  if (!existsSync(join(venv, 'ready'))) {
    execFileSync('python3', ['-m', 'venv', venv]);
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', 'numpy==2.2.6']);
    writeFileSync(join(venv, 'ready'), '');
  }
  return python;
}

function ran(command: string, args: readonly string[]): Taken {
  const printed = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(printed.trimEnd().split('\n').at(-1)!) as Taken;
}
