import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { DatasetProgress, DatasetResult } from '../src/contract';
import { byteTokenizer, CHATML_TOOLS } from '../test/dataset/byte-tokenizer';
import { writeSampleCampaign } from '../test/support/sample-campaign';
import { World } from '../test/support/world';

const FORMATS = ['openai', 'trl', 'tokens'] as const;
const MERGES = 400;

/**
 * From graded rollouts to files, on one worker: rollouts a second of each part, and the most memory that the worker had.
 * `dataset --rollouts 1000 --turns 10-30`.
 */
export async function benchDataset(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rollouts: { type: 'string', default: '1000' },
      turns: { type: 'string', default: '10-30' },
    },
  });
  const rollouts = Number(values.rollouts);
  const [least, most] = values.turns.split('-').map(Number) as [number, number];
  const world = await World.start({ script: { models: { student: {} } }, profiles: { student: {} } });
  try {
    const began = Date.now();
    const { campaign } = await writeSampleCampaign(world.home, { rollouts, steps: [least, most], kinds: ['good'] });
    console.log(
      `${rollouts} rollouts of ${values.turns} turns, written in ${seconds(began)} s, ${size(world.home)} MiB; load ${loadavg()[0]!.toFixed(1)}`,
    );
    const tokenizer = join(world.home, 'tokenizer');
    writeTokenizer(tokenizer);
    const handle = await world.begin(
      'dataset',
      { name: 'bench', sources: [{ campaign }], formats: [...FORMATS], tokenizer, filters: {} },
      'dataset/bench',
    );
    const ended = handle.result() as Promise<DatasetResult>;
    const watching = new AbortController();
    const seen = watched(world, () => handle.query<DatasetProgress, []>('progress'), watching.signal);
    const { rows, turns, tokens } = await ended.finally(() => watching.abort());
    const { phases, peakMiB } = await seen;
    console.log(
      `${rows} rows, ${turns} turns, ${tokens} tokens; formats: ${FORMATS.join(', ')}, as JSONL and Parquet\n`,
    );
    console.log('| part | s | rollouts/s |\n|---|--:|--:|');
    for (const [phase, took] of phases)
      console.log(`| ${phase} | ${took.toFixed(1)} | ${(rollouts / took).toFixed(0)} |`);
    const whole = [...phases.values()].reduce((sum, took) => sum + took, 0);
    console.log(
      `| all | ${whole.toFixed(1)} | ${(rollouts / whole).toFixed(0)} |\n\nworker: ${peakMiB.toFixed(0)} MiB at the most`,
    );
  } finally {
    await world.close();
  }
}

/** Seconds that it was seen in each phase, until it is over. */
async function watched(world: World, progress: () => Promise<DatasetProgress>, over: AbortSignal) {
  const phases = new Map<string, number>();
  let peakMiB = 0;
  let since = performance.now();
  while (!over.aborted) {
    const { phase } = await progress();
    const now = performance.now();
    if (phase === 'Done') break;
    phases.set(phase, (phases.get(phase) ?? 0) + (now - since) / 1000);
    since = now;
    peakMiB = Math.max(peakMiB, rssOf(world.workerPid()));
    await sleep(200);
  }
  return { phases, peakMiB };
}

function rssOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Its merges are those of a text of ours, so that it cuts text as such tokenizers do. */
function writeTokenizer(folder: string): void {
  const text = readFileSync(join(__dirname, '../README.md'), 'utf8');
  const { tokenizer, config } = byteTokenizer(text, MERGES, undefined, CHATML_TOOLS);
  mkdirSync(folder);
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
}

const seconds = (since: number) => ((Date.now() - since) / 1000).toFixed(0);
const size = (folder: string) => execFileSync('du', ['-sm', folder], { encoding: 'utf8' }).split('\t')[0];
