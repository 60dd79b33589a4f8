import { readFileSync } from 'node:fs';
import { tryPatterns } from '../../../src/store/experience/patterns';

test('a catastrophic pattern is given up, the others are tried, and the process goes on meanwhile', async () => {
  const evil = '(a+)+$';
  const evidence = { key: `${'a'.repeat(40)}!`, whole: `noise\n${'a'.repeat(40)}!\nmore noise` };
  let ticks = 0;
  const tick = setInterval(() => ticks++, 10);
  const { hits, tooSlow } = await tryPatterns(['NOISE', evil, '^aaa', 'nowhere', '('], evidence);
  clearInterval(tick);
  expect(tooSlow).toEqual([evil]);
  expect(hits).toEqual({ NOISE: 'whole', '^aaa': 'key' });
  expect(ticks).toBeGreaterThan(0);
}, 30_000);

test('no pattern, no thread', async () => {
  expect(await tryPatterns([], { key: '', whole: '' })).toEqual({ hits: {}, tooSlow: [] });
});

test('counts in a pattern are not looked for as text: the shipped unit finds its error', async () => {
  const units = readFileSync('experience/units.jsonl', 'utf8').split('\n').filter(Boolean);
  const unit = units.map((line) => JSON.parse(line)).find(({ id }) => id === 'node-browser-download');
  const error = 'npm error path /work/node_modules/puppeteer\nnpm error getaddrinfo ENOTFOUND storage.example.org';
  const { hits } = await tryPatterns(unit.signals.regex, { key: error, whole: error });
  expect(Object.keys(hits)).toHaveLength(1);
});
