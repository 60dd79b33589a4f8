import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Ref, SampledTokens } from '../../src/contract/step';
import { FileBlobs } from '../../src/store/local/blobs';
import { SampledTokensStore } from '../../src/store/sampled-tokens';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-sampled-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const blobs = new FileBlobs(join(folder, 'blobs'));
/** As another process would see it: nothing is known. */
const anew = () => new SampledTokensStore(blobs);

const ids = fc.array(fc.nat(200_000), { maxLength: 30 });
const some = fc.array(fc.nat(200_000), { minLength: 1, maxLength: 30 });

test('whatever follows whatever, what is read is what was kept', async () => {
  const call = fc.record({
    goesOn: fc.boolean(),
    added: ids,
    answer: some,
    logprob: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 8 }), async (calls) => {
      const store = anew();
      const kept: { ref: Ref; tokens: SampledTokens }[] = [];
      for (const { goesOn, added, answer, logprob } of calls) {
        const before = kept.at(-1);
        const start = goesOn && before ? [...before.tokens.prompt!, ...before.tokens.answer] : [];
        const tokens = { prompt: [...start, ...added], answer, logprobs: answer.map(() => logprob) };
        kept.push({ ref: await store.keep(tokens, before?.ref), tokens });
      }
      for (const { ref, tokens } of kept) {
        expect(await anew().read(ref)).toEqual(tokens);
        expect(await store.read(ref)).toEqual(tokens);
      }
    }),
    { numRuns: 50 },
  );
});

test('a run of many turns grows with its turns, not with their square', async () => {
  const store = anew();
  let before: Ref | undefined;
  let prompt = Array.from({ length: 2_000 }, (_, i) => 100_000 + i);
  let bytes = 0;
  for (let turn = 0; turn < 100; turn++) {
    const answer = Array.from({ length: 100 }, (_, i) => 50_000 + i + turn);
    const ref: Ref = await store.keep({ prompt, answer }, before);
    bytes += ref.bytes;
    before = ref;
    prompt = [...prompt, ...answer, ...Array.from({ length: 300 }, (_, i) => 70_000 + i + turn)];
  }
  expect(bytes).toBeLessThan(7 * prompt.length + 100 * 400);
  expect((await anew().read(before!)).prompt!.length).toBe(2_000 + 99 * 400);
});

test('keeping the same again is the same blob, and tokens before that are gone cost nothing but room', async () => {
  const first = await anew().keep({ prompt: [1, 2], answer: [3] });
  const tokens = { prompt: [1, 2, 3, 4], answer: [5] };
  expect(await anew().keep(tokens, first)).toEqual(await anew().keep(tokens, first));
  const gone = { sha256: 'b'.repeat(64), bytes: 1 };
  const ref = await anew().keep(tokens, gone);
  expect(await anew().read(ref)).toEqual(tokens);
});

test('tokens without a prompt, and experts', async () => {
  const tokens = { answer: [1], routedExperts: [[1, 2]] };
  expect(await anew().read(await anew().keep(tokens, await anew().keep({ prompt: [1], answer: [2] })))).toEqual(tokens);
});
