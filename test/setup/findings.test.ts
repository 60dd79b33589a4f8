import fc from 'fast-check';
import { ChargeKind, type Ground, type JudgeMove } from '../../src/contract';
import { findingRefused, findingsOf, MOST_RERUNS, ownCommand, rerunRefused } from '../../src/setup/findings';
import { judge } from '../../src/setup/roles/judge';
import type { Seen } from '../../src/setup/roles/role';
import { evidence, observed, sampleCase, seen } from './roles/sample';

const OWN = 'python -c "import click"';
const charge = (id: number, kind: ChargeKind = 'dependency') => ({ id, kind, evidence: evidence(1, OWN) });
const charges = [charge(1), charge(2)];
type Rerun = Extract<JudgeMove, { move: 'rerun' }>;
type Find = Extract<JudgeMove, { move: 'find' }>;
const rerun = (of: number, command = OWN): Rerun => ({ move: 'rerun', thought: '', charge: of, command });
const find = (of: number, ground: Ground, upheld = ground === 'reproduced'): Find => ({
  ...{ move: 'find', thought: '', charge: of, upheld, ground, why: '' },
});
const failed = (of: number, command?: string) => seen<JudgeMove>(rerun(of, command), '', 1);
const passed = (of: number, command?: string) => seen<JudgeMove>(rerun(of, command), '', 0);
const refused = (move: JudgeMove) => seen(move, 'refused', null);

test('a finding on what its own runs show is accepted', () => {
  expect(findingRefused([failed(1)], find(1, 'reproduced'), charges)).toBeNull();
  expect(findingRefused([passed(1)], find(1, 'not_reproduced'), charges)).toBeNull();
  expect(findingRefused([failed(1), passed(1, 'venv/python')], find(1, 'not_reproduced'), charges)).toBeNull();
  for (const ground of ['optional_extra', 'external_service', 'wrong_interpreter', 'not_declared'] as const)
    expect(findingRefused([failed(1)], find(1, ground), charges)).toBeNull();
});

test.each([
  ['no such charge', [failed(3)], find(3, 'reproduced'), 'no charge 3'],
  ['nothing was run', [], find(1, 'reproduced'), "the charge's own command"],
  ['another charge was run', [failed(2)], find(1, 'reproduced'), "the charge's own command"],
  ['the run was refused', [refused(rerun(1))], find(1, 'optional_extra'), "the charge's own command"],
  ['something else was run', [passed(1, 'true')], find(1, 'not_reproduced'), "the charge's own command"],
  ['it is dismissed by rule after another command', [failed(1, 'x')], find(1, 'not_declared'), 'own command'],
  ['dismissed as reproduced', [failed(1)], find(1, 'reproduced', false), 'reproduced'],
  ['upheld as an optional extra', [failed(1)], find(1, 'optional_extra', true), 'reproduced'],
  ['upheld, and no run failed', [passed(1)], find(1, 'reproduced'), 'no run for charge 1 failed'],
  ['not reproduced, and every run failed', [failed(1)], find(1, 'not_reproduced'), 'no run for charge 1 succeeded'],
])('a finding is refused: %s', (_, before, move, why) => {
  expect(findingRefused(before, move, charges)).toContain(why);
});

test('a program that is stopped at its deadline started; a dependency that is stopped then shows nothing', () => {
  const stopped = [{ move: rerun(1), observed: { ...observed('', null), timedOut: true } }];
  expect(findingRefused(stopped, find(1, 'not_reproduced'), [charge(1, 'entry_point')])).toBeNull();
  expect(findingRefused(stopped, find(1, 'not_reproduced'), [charge(1)])).not.toBeNull();
});

test('accepted findings carry the runs that they rest on; the last one counts, and one that was refused never', () => {
  const moves: Seen<JudgeMove>[] = [
    refused(find(1, 'reproduced')),
    passed(2),
    refused(find(1, 'not_reproduced')),
    failed(2, 'again'),
    seen(find(2, 'reproduced')),
    seen(find(2, 'not_reproduced')),
    refused(find(2, 'reproduced', false)),
  ];
  const runs = moves.map(({ move, observed: { exitCode } }) =>
    move.move === 'rerun' ? evidence(exitCode, move.command) : null,
  );
  expect(findingsOf(moves, runs, charges)).toMatchObject([
    { charge: 2, upheld: false, ground: 'not_reproduced', evidence: [{ exitCode: 0 }, { exitCode: 1 }] },
  ]);
});

test('a third run for one charge is refused, and one for a charge that nobody brought', () => {
  const runs = Array.from({ length: MOST_RERUNS }, () => failed(1));
  expect(rerunRefused(runs.slice(1), rerun(1), charges)).toBeNull();
  expect(rerunRefused(runs, rerun(1), charges)).toContain('Give your finding');
  expect(rerunRefused(runs, rerun(2), charges)).toBeNull();
  expect(rerunRefused([], rerun(3), charges)).toContain('no charge 3');
});

test('the last run for a charge is kept for its own command, and what was refused was no run', () => {
  expect(rerunRefused([failed(1, 'x')], rerun(1, 'y'), charges)).toContain('own command');
  expect(rerunRefused([failed(1, 'x')], rerun(1), charges)).toBeNull();
  expect(rerunRefused([failed(1), refused(rerun(1, 'x'))], rerun(1, 'y'), charges)).toBeNull();
});

test('a rerun without a command is of the own one', () => {
  expect(ownCommand({ move: 'rerun', charge: 2 }, charges)).toMatchObject({ charge: 2, command: OWN });
  expect(ownCommand({ move: 'rerun', charge: 2, command: 'x' }, charges)).toMatchObject({ command: 'x' });
  expect(ownCommand({ move: 'rerun', charge: 9 }, charges)).not.toHaveProperty('command');
  expect(ownCommand({ move: 'find', charge: 2 }, charges)).not.toHaveProperty('command');
});

const grounds = ['reproduced', 'not_reproduced', 'optional_extra', 'not_declared'] as const;

test('whatever the runs showed, some finding is accepted once no run is left', () => {
  const runs = fc.array(fc.record({ own: fc.boolean(), fails: fc.boolean() }), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(runs, (tried) => {
      const before: Seen<JudgeMove>[] = [];
      for (const { own, fails } of [...tried, { own: true, fails: true }]) {
        const move = rerun(1, own ? OWN : 'x');
        if (rerunRefused(before, move, charges)) before.push(refused(move));
        else before.push(seen<JudgeMove>(move, '', fails ? 1 : 0));
      }
      expect(grounds.some((ground) => findingRefused(before, find(1, ground), charges) === null)).toBe(true);
    }),
  );
});

test('the judge by rules is never refused, whatever its runs show', () => {
  const outcomes = fc.constantFrom(
    observed('', 0),
    { ...observed('', null), timedOut: true },
    observed("ModuleNotFoundError: No module named 'click'"),
    observed('FAILED t.py::a - assert 0\n===== 1 failed, 3 passed in 0.1s ====='),
    observed('===== 3 passed in 0.1s =====', 0),
  );
  const declared = fc.constantFrom('', 'tests/test_acorn.py', 'PYTEST_ADDOPTS', 'conftest.py');
  const met = fc.array(outcomes, { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(fc.constantFrom(...ChargeKind.options), declared, met, (kind, where, told) => {
      const brought = [1, 2].map((id) => ({ ...charge(id, kind), claim: 'so', declared: where, output: '' }));
      const dossier = { ...sampleCase(), verifier: null, verifierMoves: [], charges: brought };
      const before: Seen<JudgeMove>[] = [];
      for (let runs = 0, found = 0; found < 2; ) {
        const move = judge(dossier, before);
        const why = (move.move === 'rerun' ? rerunRefused : findingRefused)(before, move as Rerun & Find, brought);
        expect(why).toBeNull();
        if (move.move === 'find') found += 1;
        before.push({ move, observed: move.move === 'rerun' ? told[runs++]! : observed('', 0) });
      }
      const ran = before.map(({ move }) => (move.move === 'rerun' ? evidence(1, move.command) : null));
      expect(findingsOf(before, ran, brought)).toHaveLength(2);
    }),
  );
});
