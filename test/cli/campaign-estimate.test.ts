import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSampleCampaign } from '../support/sample-campaign';
import { runCli } from './run-cli';

const home = mkdtempSync(join(tmpdir(), 'pointsman-estimate-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it('says before the start what a campaign will take, from earlier rollouts of the same models', async () => {
  const { rows } = await writeSampleCampaign(home, { rollouts: 12, kinds: ['good'] });
  const like = rows.filter(({ method }) => method === rows[0]!.method);
  const { method, student, expert, handOver } = rows[0]!;
  writeFileSync(join(home, 'problems.jsonl'), '"a"\n"b"\n\n"c"\n');
  const names = { ...(student ? { student } : {}), ...(expert ? { expert } : {}) };
  const methods = [
    { name: method, ...names, handOver },
    { name: 'strangers', student: 'nobody', handOver: { never: true } },
  ];
  const input = join(home, 'campaign.json');
  writeFileSync(input, JSON.stringify({ problems: join(home, 'problems.jsonl'), methods, passes: 4 }));
  const start = ['campaign', 'start', '--input', input, '--estimate'];
  const { stdout } = await runCli([...start, '--json'], { env: { POINTSMAN_HOME: home } });
  const { estimates } = JSON.parse(stdout) as { estimates: { method: string; estimate: { usd: { mean: number } } }[] };
  const mean = like.reduce((sum, { result }) => sum + result!.cost.usd, 0) / like.length;
  expect(estimates).toMatchObject([
    { method, estimate: { rollouts: 12, from: like.length } },
    { method: 'strangers', estimate: null },
  ]);
  expect(estimates[0]!.estimate.usd.mean).toBeCloseTo(12 * mean, 6);
  const said = await runCli(start, { env: { POINTSMAN_HOME: home } });
  expect(said.stdout).toMatch(
    /^estimate: .*: 12 rollouts, \$[\d.]+ to \$[\d.]+, about .* \(from \d+ earlier\)\nestimate: strangers: no earlier/,
  );
});
