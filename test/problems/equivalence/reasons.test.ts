import { HarnessAttempt } from '../../../src/contract';
import { reasonsByAuthor } from '../../../src/problems/equivalence/validity';

const tried = (attempt: { author: string; context?: string; mode?: string }, ...reasons: string[]) => ({
  attempt: HarnessAttempt.parse(attempt),
  reasons,
});

describe('reasons of several authors', () => {
  it('says whose harness each is about, once', () => {
    const reasons = reasonsByAuthor([
      tried({ author: 'builtin:recorded-calls' }, 'no call was seen'),
      tried({ author: 'builtin:hypothesis' }, 'the branch coverage is 50 %', 'the share of killed mutants is 10 %'),
      tried({ author: 'mine', context: 'full', mode: 'prediction' }, 'the branch coverage is 50 %'),
    ]);
    expect(reasons).toEqual([
      'builtin:recorded-calls: no call was seen',
      'builtin:hypothesis and mine (full, prediction): the branch coverage is 50 %',
      'builtin:hypothesis: the share of killed mutants is 10 %',
    ]);
  });

  it('leaves the one author of a function unsaid', () => {
    expect(reasonsByAuthor([tried({ author: 'mine' }, 'no cases')])).toEqual(['no cases']);
  });
});
