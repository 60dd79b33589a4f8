import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cli } from '../../../src/cli/context';
import type { ViewChoice } from '../../../src/cli/view/lines';
import { HomeSource } from '../../../src/cli/view/source';
import { freePort } from '../../../src/machine/ports';
import { type SampleCampaign, type SampleOptions, writeSampleCampaign } from '../../support/sample-campaign';

/** A home with a sample campaign, and the viewer's source over it; no Temporal server answers there. */
export async function sampleSource(options: SampleOptions, choice: Partial<ViewChoice> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'pointsman-viewer-'));
  const sample: SampleCampaign = await writeSampleCampaign(home, options);
  process.env.POINTSMAN_HOME = home;
  process.env.TEMPORAL_ADDRESS = `127.0.0.1:${await freePort()}`;
  const cli = new Cli();
  const source = new HomeSource(cli, { campaigns: [sample.campaign], runs: [], setups: [], ...choice });
  await source.list();
  return { home, cli, sample, source, remove: () => rmSync(home, { recursive: true, force: true }) };
}
