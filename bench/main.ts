import { rootCause } from '@temporalio/common';
import { benchSlices } from '../packages/python/bench/slices';
import { benchStandalone } from '../packages/python/bench/standalone';
import { benchCalibration } from './calibration';
import { benchCampaign } from './campaign';
import { benchCli } from './cli';
import { benchCost } from './cost';
import { benchDataset } from './dataset';
import { benchDigest } from './digest';
import { benchFleet } from './fleet';
import { benchJudge } from './judge';
import { benchParallel } from './parallel';
import { benchUnits } from './prove-units';
import { benchRollout } from './rollout';
import { benchSetup } from './setup';
import { benchShift } from './shift';
import { benchVerdict } from './verdict';
import { benchViewer } from './viewer';

/** What `npm run bench NAME` measures. Figures are printed as Markdown, with what they were measured beside. */
const BENCHES: Readonly<Record<string, (args: string[]) => Promise<void>>> = {
  units: benchUnits,
  judge: benchJudge,
  rollout: benchRollout,
  parallel: benchParallel,
  digest: benchDigest,
  verdict: benchVerdict,
  campaign: benchCampaign,
  cli: benchCli,
  cost: benchCost,
  dataset: benchDataset,
  fleet: benchFleet,
  setup: benchSetup,
  shift: benchShift,
  calibration: benchCalibration,
  slices: benchSlices,
  standalone: benchStandalone,
  viewer: benchViewer,
};

const [name = 'rollout', ...args] = process.argv.slice(2);
const bench = BENCHES[name];
if (!bench) {
  console.error(`no bench "${name}" (there are: ${Object.keys(BENCHES).join(', ')})`);
  process.exit(2);
}
bench(args).then(
  () => process.exit(0),
  (error: Error) => {
    console.error(rootCause(error.cause) ?? error.message);
    process.exit(1);
  },
);
