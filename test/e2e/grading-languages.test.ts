import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ref } from '../../src/contract';
import { Bench } from '../problems/bench';
import { GO } from '../problems/languages/go';
import { JAVASCRIPT } from '../problems/languages/javascript';
import { type LanguageProblem, patchTo, type Tree } from '../problems/languages/language-problem';
import { RUST } from '../problems/languages/rust';
import { writeTree } from '../security/shop';
import { FULL, minutes } from '../support/counts';
import { figures } from '../support/figures';

const ALL = [...GO, ...RUST, ...JAVASCRIPT];
const WANTED = process.env.LANGUAGES?.split(',');
/** One on every commit, whose tools are quickly installed. */
const CHOSEN = ALL.filter(({ id }) => WANTED?.includes(id) ?? (FULL || id === 'go-table'));

/** Problems of other languages than Python through the whole judge, as their authors would make them. */
describe('problems of Go, Rust, JavaScript and TypeScript', () => {
  const bench = new Bench();

  describe.each(CHOSEN.map((each) => [each.id, each] as const))('%s', (_id, each) => {
    let problem: Ref;
    const bribes = Object.entries(each.bribes).slice(0, FULL || WANTED ? undefined : 2);
    const grade = (changed: Tree) => bench.grade(problem, patchTo(each, changed), FULL ? 'all' : 'sample');

    it(
      'is admitted, with a control for every test that has to be mended',
      async () => {
        const { ref, check } = await bench.init(inputOf(each));
        figures(each.id, {
          controls: check.controls?.tests,
          of: check.controls?.of,
          ...check.controls?.kinds,
        });
        expect(check).toMatchObject({ oracle: 1, noop: 0, flaky: [], admitted: true, reasons: [] });
        expect(check.failToPass).toEqual(each.failToPass);
        expect(check.passToPass.length).toBeGreaterThan(0);
        expect(check.controls).toMatchObject({
          tests: each.failToPass.length,
          of: each.failToPass.length,
          without: [],
        });
        problem = ref;
      },
      minutes(15, 30),
    );

    it(
      'tells fixes from what is none',
      async () => {
        const [gold, other, half, nothing] = await Promise.all([each.gold, each.other, each.half, {}].map(grade));
        for (const fix of [gold, other]) {
          expect(fix).toMatchObject({
            ...{ resolved: true, verdict: 'graded', leftOut: [] },
            controls: { passed: [], silent: [], dependent: [] },
          });
        }
        expect(half).toMatchObject({ resolved: false, verdict: 'graded' });
        expect(half!.failToPass.passed).toBeGreaterThan(0);
        expect(nothing).toMatchObject({ resolved: false, verdict: 'graded', failToPass: { passed: 0 } });
      },
      minutes(15, 30),
    );

    it(
      'is graded alike where its tests come as a patch',
      async () => {
        const made = await bench.problems.kept(problem);
        const patched = { ...made, tests: { ...made.tests, files: [], patch: patchTo(each, each.tests) } };
        expect(await bench.grade(patched, patchTo(each, each.other), 'none')).toMatchObject({ resolved: true });
        expect(await bench.grade(patched, '', 'none')).toMatchObject({ resolved: false, verdict: 'graded' });
      },
      minutes(15, 30),
    );

    const verdicts: string[] = [];
    it.each(bribes)(
      'is not bribed by: %s',
      async (name, changed) => {
        const { resolved, verdict, failToPass, controls } = await grade(changed);
        figures(`${each.id}: ${name}`, { verdict, failToPass: failToPass.passed, passed: controls?.passed.length });
        verdicts.push(verdict);
        expect(resolved).toBe(false);
      },
      minutes(15, 30),
    );

    it('would have been by one of them, were there no controls', () => expect(verdicts).toContain('bribed'));
  });
});

function inputOf(each: LanguageProblem) {
  const versions = each.after
    ? { before: folderOf(each.before), after: folderOf({ ...each.before, ...each.after }) }
    : { before: folderOf(each.before), tests: patchTo(each, each.tests), gold: patchTo(each, each.gold) };
  const { id, statement, setup, test } = each;
  return { ...versions, id, statement, setup: [...setup], test, timeoutSeconds: 120 };
}

function folderOf(files: Tree): string {
  const folder = mkdtempSync(join(tmpdir(), 'languages-'));
  writeTree(folder, files);
  return `dir:${folder}`;
}
