import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { GradeResult, Problem, ProblemCheckResult, TestLists } from '../src/contract';
import { BASE_IMAGE } from '../src/machine/image';
import { unifiedDiff } from '../src/problems/unified-diff';
import { World } from '../test/support/world';
import { benchJudgeAlternatives } from './judge/alternatives';
import { ask, causesOf, inCell, inTurn, sumOf } from './judge/grading';
import { HONEST, type HonestPackage, IMAGES, type PytestImage } from './judge/honest';
import { benchJudgeTime } from './judge/time';

/** What was not run whoever asks, and why. */
const NOT_RUN = ['make: the base image does not have it'];

interface Case {
  readonly honest: HonestPackage;
  readonly pytest: PytestImage;
}

interface Graded {
  /** Who wrote the solution: the author of the package, or somebody else. */
  readonly solution: 'gold' | 'other';
  readonly result: GradeResult;
}

interface Finding extends Case {
  /** Why the package is no problem; empty for one that is. */
  readonly refused: readonly string[];
  readonly graded: readonly Graded[];
  readonly seconds: number;
}

/**
 * Whether the judge accuses the honest: small packages, each of one habit, under several versions of pytest. Each is
 * checked, and then its own fix and that of somebody else are graded. Both must be resolved.
 * `honest NAME…` chooses packages by a part of their names, `--pytest 8` (several by commas) versions, and after
 * `--minutes 20` no other is begun; `--from 40` goes on where such a run ended, after its first 40.
 */
export async function benchJudge(args: string[]): Promise<void> {
  const [part = 'honest', ...rest] = args;
  if (part === 'time') return benchJudgeTime(rest);
  if (part === 'alternatives') return benchJudgeAlternatives(rest);
  if (part !== 'honest') throw new Error(`no part "${part}" of this bench (there are: honest, alternatives, time)`);
  const { versions, names, minutes, from } = chosen(rest);
  const images = IMAGES.filter(({ version }) => !versions || versions.includes(version));
  const packages = HONEST.filter(({ name }) => names.length === 0 || names.some((each) => name.includes(each)));
  // Each package under another version, then under the next: a run that has to end early has seen all of both.
  const cases = images
    .flatMap((_, round) =>
      packages.map((honest, at): Case => ({ honest, pytest: images[(at + round) % images.length]! })),
    )
    .slice(from);
  const source = mkdtempSync(join(tmpdir(), 'pointsman-honest-'));
  mkdirSync(join(source, 'project'));
  writeFileSync(join(source, 'project', 'README.md'), '# A small package\n');
  const world = await World.start({ script: { models: {} }, profiles: {} });
  try {
    console.log(`load ${loadavg()[0]!.toFixed(2)} before\n`);
    console.log('| package | pytest | FAIL_TO_PASS with a control | checks | its fix | another | s |');
    console.log('|---|--:|--:|--:|---|---|--:|');
    const findings: Finding[] = [];
    const judged = async (each: Case) => {
      const finding = await judge(world, join(source, 'project'), each);
      console.log(rowOf(finding));
      findings.push(finding);
    };
    const began = Date.now();
    // The first of a version makes its image, which the others only take.
    const first = images.flatMap((image) => cases.find(({ pytest }) => pytest === image) ?? []);
    await inTurn(first, minutes, judged);
    const left = minutes - (Date.now() - began) / 60_000;
    await inTurn(
      cases.filter((each) => !first.includes(each)),
      left,
      judged,
    );
    const late = cases.length - findings.length;
    summary(findings);
    if (late > 0) console.log(`- not run: ${late} packages × versions, for want of time (${minutes} minutes)`);
    console.log(`\nload ${loadavg()[0]!.toFixed(2)} after`);
  } finally {
    await world.close();
    rmSync(source, { recursive: true, force: true });
  }
}

interface Choice {
  readonly versions: readonly string[] | undefined;
  readonly names: readonly string[];
  readonly minutes: number;
  readonly from: number;
}

function chosen(args: readonly string[]): Choice {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { pytest: { type: 'string' }, minutes: { type: 'string' }, from: { type: 'string', default: '0' } },
    allowPositionals: true,
  });
  return {
    versions: values.pytest?.split(','),
    names: positionals,
    minutes: values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes),
    from: Number(values.from),
  };
}

async function judge(world: World, source: string, each: Case): Promise<Finding> {
  const began = Date.now();
  const ended = (refused: readonly string[], graded: readonly Graded[]): Finding => {
    return { ...each, refused, graded, seconds: Math.round((Date.now() - began) / 1000) };
  };
  const problem = problemOf(each, source);
  try {
    const { admitted, reasons, lists } = await ask<ProblemCheckResult>(world, 'problemCheck', { problem });
    if (!admitted) return ended(reasons, []);
    const measured = JSON.parse((await world.blobs.get(lists.sha256)).toString('utf8')) as TestLists;
    const { failToPass, passToPass } = measured;
    const whole: Problem = { ...problem, tests: { ...problem.tests, failToPass, passToPass } };
    const graded: Graded[] = [];
    for (const solution of ['gold', 'other'] as const) {
      const patch = patchOf(each.honest, solution);
      graded.push({ solution, result: await ask(world, 'grade', { problem: whole, patch, controls: 'sample' }) });
    }
    return ended([], graded);
  } catch (error) {
    return ended([causesOf(error)], []);
  }
}

function problemOf({ honest, pytest }: Case, source: string): Problem {
  const { name, module, files = {}, tests, command = 'python3 -m pytest' } = honest;
  const { version, setup } = pytest;
  const key = createHash('sha256').update(JSON.stringify(setup)).digest('hex').slice(0, 16);
  const written = (texts: Readonly<Record<string, string>>) =>
    Object.entries(texts).map(([path, content]) => ({ path, content }));
  return {
    id: `${name.replaceAll(/\W+/g, '-')}-pytest-${version}`,
    image: `pointsman/bench-honest:${key}`,
    workdir: '/testbed',
    statement: `Mend ${module.path}.`,
    tests: {
      command,
      parser: { kind: 'auto' },
      failToPass: [],
      passToPass: [],
      files: written(tests),
      timeoutSeconds: 300,
    },
    goldPatch: patchOf(honest, 'gold'),
    protected: [],
    environment: { source: `dir:${source}`, base: BASE_IMAGE, setup: [...setup] },
    preparation: { patch: '', files: written({ ...files, [module.path]: module.before }) },
    provenance: {},
  };
}

function patchOf({ module }: HonestPackage, solution: 'gold' | 'other'): string {
  return unifiedDiff(module.path, module.before, module[solution]);
}

const isResolved = ({ result }: Graded) => result.resolved && result.verdict === 'graded';
const say = ({ verdict, resolved, detail = '' }: GradeResult) =>
  resolved && verdict === 'graded'
    ? 'resolved'
    : inCell(`**${resolved ? 'resolved' : 'not resolved'}, ${verdict}** ${detail}`);

function rowOf({ honest, pytest, refused, graded, seconds }: Finding): string {
  const name = `| ${honest.name} | ${pytest.version} |`;
  if (refused.length > 0) return `${name} | | **not admitted**: ${inCell(refused.join('; '))} | | ${seconds} |`;
  const { controls } = graded[0]!.result;
  const kinds = Object.entries(controls?.kinds ?? {}).map(([kind, count]) => `${count} ${kind}`);
  const checks = sumOf(graded.map(({ result }) => result.controls?.run ?? 0));
  const verdicts = graded.map(({ result }) => say(result)).join(' | ');
  return `${name} ${controls?.tests ?? 0} of ${controls?.of ?? 0} (${kinds.join(', ')}) | ${checks} | ${verdicts} | ${seconds} |`;
}

function summary(findings: readonly Finding[]): void {
  const admitted = findings.filter(({ refused }) => refused.length === 0);
  const graded = admitted.flatMap(({ graded }) => graded);
  const reports = graded.flatMap(({ result }) => result.controls ?? []);
  const ofFix = admitted.flatMap(({ graded }) => graded[0]?.result.controls ?? []);
  const named = ({ honest, pytest }: Case) => `${honest.name}, pytest ${pytest.version}`;
  const accused = admitted.flatMap((finding) =>
    finding.graded.filter((each) => !isResolved(each)).map((each) => ({ finding, each })),
  );
  const [withControl, of] = [sumOf(ofFix.map(({ tests }) => tests)), sumOf(ofFix.map(({ of }) => of))];
  const rows: [string, number | string][] = [
    ['packages', new Set(findings.map(({ honest }) => honest)).size],
    ['packages × versions of pytest', findings.length],
    ['not admitted', findings.length - admitted.length],
    ['gradings of honest solutions', graded.length],
    ['false accusations', accused.length],
    ['controls checked', sumOf(reports.map(({ run }) => run))],
    [
      'FAIL_TO_PASS with a control',
      `${withControl} of ${of} (${((100 * withControl) / Math.max(of, 1)).toFixed(1)} %)`,
    ],
  ];
  console.log('\n| what | figure |\n|---|--:|');
  for (const [what, figure] of rows) console.log(`| ${what} | ${figure} |`);
  for (const { finding, each } of accused) {
    const { failToPass, passToPass, verdict, detail = '' } = each.result;
    const missing = [...failToPass.missing, ...passToPass.missing].slice(0, 3).join(', ');
    console.log(`- accused: ${named(finding)}, ${each.solution}: ${verdict} ${inCell(detail)} ${inCell(missing)}`);
  }
  for (const finding of findings) {
    if (finding.refused.length > 0)
      console.log(`- not admitted: ${named(finding)}: ${inCell(finding.refused.join('; '))}`);
  }
  for (const each of NOT_RUN) console.log(`- not run: ${each}`);
}
