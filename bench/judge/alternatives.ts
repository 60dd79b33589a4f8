import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ControlCheck, GradeResult, Problem, ProblemCheckResult, Ref, TestLists } from '../../src/contract';
import type { Controls } from '../../src/grading/controls';
import { controlledOf } from '../../src/grading/plan';
import { type Outcomes, outcomeOf } from '../../src/problems/outcomes';
import { openSandboxes } from '../../src/sandbox';
import { fileDocuments } from '../../src/store/local/rows';
import { Problems } from '../../src/store/problems';
import { World } from '../../test/support/world';
import { ask, causesOf, inCell, inTurn, sumOf } from './grading';
import { releaseTasks } from './releases';
import { rewriteTasks } from './rewrites';
import type { OpenTask, Task } from './task';

/** A test that fails now and then is taken from the lists, and the solution graded once more. */
const ATTEMPTS = 2;

/** Lines from which on a release is more than the next one. */
const MANY = 100;

interface Finding {
  readonly name: string;
  readonly lines: number;
  /** Tests that both solutions pass, of those that the reference mends. */
  readonly tests: number;
  readonly of: number;
  readonly result: GradeResult;
  readonly checks: readonly ControlCheck[];
}

interface Missed {
  readonly name: string;
  readonly why: string;
}

/**
 * Whether the judge accuses honest solutions that are written otherwise than the reference: the code of other releases of a
 * package in the tests of one, those that it passes, and functions that several people would write differently. Every one
 * must fail every wrong expectation. `PACKAGE…` chooses by a part of the names; after `--minutes N` nothing is begun.
 */
export async function benchJudgeAlternatives(args: string[]): Promise<void> {
  const { values, positionals: names } = parseArgs({
    args,
    options: { minutes: { type: 'string' } },
    allowPositionals: true,
  });
  const minutes = values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes);
  const until = Date.now() + minutes * 60_000;
  const folder = mkdtempSync(join(tmpdir(), 'pointsman-alternatives-'));
  const world = await World.start({ script: { models: {} }, profiles: {} });
  const sandboxes = openSandboxes('bench');
  try {
    const all = [...rewriteTasks(folder), ...releaseTasks({ sandboxes, blobs: world.blobs })];
    const tasks = all.filter(({ name }) => names.length === 0 || names.some((each) => name.includes(each)));
    console.log(`load ${loadavg()[0]!.toFixed(2)} before\n`);
    console.log('| package | reference | alternative | lines that differ | tests | checks | passed | verdict | s |');
    console.log('|---|---|---|--:|--:|--:|--:|---|--:|');
    const findings: Finding[] = [];
    const missed: Missed[] = [];
    await inTurn(tasks, minutes, (task) => gradeAll(new Grader(world), task, until, findings, missed));
    summary(findings, missed);
    console.log(`\nload ${loadavg()[0]!.toFixed(2)} after`);
  } finally {
    await world.close();
    sandboxes.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Grades all alternatives of a task, a line each; what could not be graded is said and goes to `missed`. */
async function gradeAll(
  grader: Grader,
  task: Task,
  until: number,
  findings: Finding[],
  missed: Missed[],
): Promise<void> {
  const miss = (name: string, error: unknown) => {
    const why = inCell(causesOf(error));
    missed.push({ name, why });
    console.log(`| ${task.name} | ${task.gold} | ${name} | | | | | **not graded**: ${why} | |`);
  };
  let measured: Measured;
  try {
    measured = await grader.measure(await task.open());
  } catch (error) {
    miss(task.name, error);
    return;
  }
  for (const alternative of measured.alternatives) {
    const name = `${task.name} ${alternative.name}`;
    const began = Date.now();
    if (began > until) {
      miss(name, 'for want of time');
      continue;
    }
    try {
      const { patch, lines } = await alternative.open();
      const finding = { name, lines, ...(await grader.grade(measured, patch)) };
      findings.push(finding);
      const { tests, of, result, checks } = finding;
      const seconds = Math.round((Date.now() - began) / 1000);
      const counts = `${lines} | ${tests} of ${of} | ${checks.length} | ${accusationsIn(finding).length}`;
      console.log(`| ${task.name} | ${task.gold} | ${alternative.name} | ${counts} | ${say(result)} | ${seconds} |`);
    } catch (error) {
      miss(name, error);
    }
  }
}

interface Measured extends OpenTask {
  readonly lists: TestLists;
  readonly controls: Controls;
}

class Grader {
  private readonly problems: Problems;

  constructor(private readonly world: World) {
    this.problems = new Problems(join(world.home, 'problems'), world.blobs, fileDocuments(world.home, 'controls'));
  }

  /** The lists that running the reference and nothing gives, and the wrong expectations for them. */
  async measure(task: OpenTask): Promise<Measured> {
    const problem = await this.world.blobs.put(JSON.stringify(task.problem));
    const { admitted, reasons, lists, controls } = await ask<ProblemCheckResult>(this.world, 'problemCheck', {
      problem,
    });
    if (!admitted || !controls) throw new Error(`not admitted: ${reasons.join('; ')}`);
    return { ...task, lists: await this.json(lists), controls: await this.json(controls.kept) };
  }

  /** A solution in the tests that it passes with their true expectations. */
  async grade(measured: Measured, text: string): Promise<Omit<Finding, 'name' | 'lines'>> {
    const { problem, lists } = measured;
    // Another release of a package of tables is more than a workflow takes in place.
    const patch = await this.world.blobs.put(text);
    const whole = await this.problems.keep(withLists(problem, lists));
    const real = await ask<GradeResult>(this.world, 'grade', { problem: whole, patch, controls: 'none' });
    if (real.verdict !== 'graded') throw new Error(`${real.verdict} ${real.detail ?? ''}`);
    let passing = await this.json<Outcomes>(real.outcomes);
    for (let attempt = 1; ; attempt++) {
      const own = keptOf(lists, passing);
      if (own.failToPass.length === 0) throw new Error('it passes none of the tests');
      const ref = await this.keep(withLists(problem, own), measured.controls);
      const result = await ask<GradeResult>(this.world, 'grade', { problem: ref, patch, controls: 'sample' });
      const missing = [...result.failToPass.missing, ...result.passToPass.missing];
      if (missing.length > 0 && attempt < ATTEMPTS) {
        passing = both(passing, await this.json<Outcomes>(result.outcomes));
        continue;
      }
      const checks = await Promise.all(result.runs.map((run) => (run.checks ? this.json(run.checks) : [])));
      const heard = (checks.flat() as ControlCheck[]).filter(({ outcome }) => /^(passed|failed)$/.test(outcome ?? ''));
      return { tests: own.failToPass.length, of: lists.failToPass.length, result, checks: heard };
    }
  }

  /**
   * Keeps a problem with fewer tests, and the wrong expectations that are known for these: they were tried with all tests,
   * and trying them again for every alternative would take most of the time.
   */
  private async keep(problem: Problem, { variants, without, alone, ...rest }: Controls): Promise<Ref> {
    const ref = await this.problems.keep(problem);
    const own = new Set(problem.tests.failToPass);
    const controls: Controls = {
      ...rest,
      variants: variants.flatMap((each) => {
        const tests = each.tests.filter((test) => own.has(test));
        return tests.length > 0 ? [{ ...each, tests }] : [];
      }),
      without: without.filter(({ test }) => own.has(test)),
      alone: alone.filter((test) => own.has(test)),
    };
    const kept = await this.world.blobs.put(JSON.stringify(controls));
    await this.problems.keepControls(ref, { ...controlledOf(problem.tests, controls), without: [], kept });
    return ref;
  }

  private async json<T>(ref: Ref): Promise<T> {
    return JSON.parse((await this.world.blobs.get(ref.sha256)).toString('utf8')) as T;
  }
}

type Lists = Pick<TestLists, 'failToPass' | 'passToPass'>;

function withLists(problem: Problem, { failToPass, passToPass }: Lists): Problem {
  return { ...problem, tests: { ...problem.tests, failToPass: [...failToPass], passToPass: [...passToPass] } };
}

function keptOf({ failToPass, passToPass }: Lists, outcomes: Outcomes): Lists {
  const passes = (test: string) => outcomeOf(outcomes, test) === 'passed';
  return { failToPass: failToPass.filter(passes), passToPass: passToPass.filter(passes) };
}

function both(one: Outcomes, other: Outcomes): Outcomes {
  return Object.fromEntries(Object.entries(one).filter(([test]) => outcomeOf(other, test) === 'passed'));
}

/** Wrong expectations that passed, be it once. */
function accusationsIn({ checks }: Finding): ControlCheck[] {
  return checks.filter(({ outcome }) => outcome === 'passed');
}

function say({ resolved, verdict, detail = '' }: GradeResult): string {
  if (resolved && verdict === 'graded') return 'resolved';
  return inCell(`**${resolved ? 'resolved' : 'not resolved'}, ${verdict}** ${detail}`);
}

function summary(findings: readonly Finding[], missed: readonly Missed[]): void {
  const checks = findings.flatMap((each) => each.checks);
  const passed = findings.flatMap(accusationsIn);
  const differing = (least: number) => findings.filter(({ lines }) => lines >= least);
  const kinds = new Map<string, number>();
  for (const { kind } of checks) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const rows: [string, number | string][] = [
    ['alternatives graded', findings.length],
    ['of which some code differs from the reference', differing(1).length],
    [`of which at least ${MANY} lines differ`, differing(MANY).length],
    ['tests that they pass', sumOf(findings.map(({ tests }) => tests))],
    ['control checks', checks.length],
    [`of these where at least ${MANY} lines differ`, sumOf(differing(MANY).map((each) => each.checks.length))],
    ['by kind', Array.from(kinds, ([kind, count]) => `${count} ${kind}`).join(', ')],
    ['wrong expectations that passed, be it once', passed.length],
    ['bribed', findings.filter(({ result }) => result.verdict === 'bribed').length],
    ['not resolved for another reason', findings.filter(({ result }) => isRefused(result)).length],
  ];
  if (passed.length === 0 && checks.length > 0)
    rows.push(['rate of false accusations at 95 %', `at most ${((100 * 3) / checks.length).toFixed(3)} % of checks`]);
  console.log('\n| what | figure |\n|---|--:|');
  for (const [what, figure] of rows) console.log(`| ${what} | ${figure} |`);
  for (const finding of findings) {
    for (const { kind, test, path, line, was, now } of accusationsIn(finding))
      console.log(`- passed: ${finding.name}: ${test} (${kind}, ${path}:${line}): ${inCell(was)} → ${inCell(now)}`);
    const { failToPass, passToPass } = finding.result;
    const missing = [...failToPass.missing, ...passToPass.missing].slice(0, 5).join(', ');
    if (finding.result.verdict === 'bribed' || isRefused(finding.result))
      console.log(`- ${finding.name}: ${say(finding.result)} ${inCell(missing)}`);
  }
  for (const { name, why } of missed) console.log(`- not graded: ${name}: ${why}`);
}

function isRefused({ resolved, verdict }: GradeResult): boolean {
  return verdict !== 'bribed' && !(resolved && verdict === 'graded');
}
