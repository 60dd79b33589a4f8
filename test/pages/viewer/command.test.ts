import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../cli/run-cli';
import { type SampleCampaign, writeSampleCampaign } from '../../support/sample-campaign';

const home = mkdtempSync(join(tmpdir(), 'pointsman-view-'));
let sample: SampleCampaign;
const env = { POINTSMAN_HOME: home };

beforeAll(async () => {
  sample = await writeSampleCampaign(home, { rollouts: 6 });
});
afterAll(() => rmSync(home, { recursive: true }));

test('`view export` writes one page of a campaign, of a file of rows, or of a chain', async () => {
  const out = join(home, 'page.html');
  const { result } = sample.rows.find((row) => row.result)!;
  for (const choice of [['--campaign', sample.campaign], ['--rollouts', sample.file], ['--run', result!.head], []]) {
    const ran = await runCli(['--json', 'view', 'export', ...choice, '--out', out], { env });
    expect({ choice, stderr: ran.stderr, code: ran.code }).toMatchObject({ choice, code: 0 });
    const said = JSON.parse(ran.stdout) as { file: string; runs: number; bytes: number; cut: number };
    const page = readFileSync(out, 'utf8');
    expect(said).toMatchObject({
      file: out,
      runs: choice[0] === '--run' ? 1 : 6,
      bytes: Buffer.byteLength(page),
      cut: 0,
    });
    // Nothing in the data ends an element, and nothing is loaded from anywhere.
    expect(page.match(/<\/script>/g)).toHaveLength(page.match(/<script[ >]/g)!.length);
    expect(page).toContain('default-src &#39;none&#39;');
    expect(page).not.toMatch(/\b(src|href)="https?:/);
  }
});

test('what is asked for wrongly is said, with what there is', async () => {
  const unknown = await runCli(['view', 'export', '--campaign', 'campaign/sampel', '--out', join(home, 'x.html')], {
    env,
  });
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain('did you mean "campaign/sample"?');
  const missing = await runCli(['view', 'export', '--rollouts', 'nowhere.jsonl', '--out', join(home, 'x.html')], {
    env,
  });
  expect(missing.stderr).toContain('nowhere.jsonl cannot be read');
  const nameless = await runCli(['view', 'export', '--campaign', 'campaign/sample'], { env });
  expect(nameless.stderr).toContain('--out');
});
