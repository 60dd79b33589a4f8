import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { Cli } from '../src/cli/context';
import { HomeSource } from '../src/cli/view/source';
import { chromiumBinary } from '../src/machine/chromium';
import { freePort } from '../src/machine/ports';
import { exportViewer } from '../src/pages/viewer/server/export';
import { serveViewer } from '../src/pages/viewer/server/server';
import { writeSampleCampaign } from '../test/support/sample-campaign';

/**
 * How long a browser takes to open a trajectory, from its address to its first turns on the screen, and the list, to its
 * first rows: nothing is known to the server or to the browser before. `npm run bench viewer -- 10000 1000` (turns of one
 * run, runs in a list).
 */
export async function benchViewer([turns = '100,1000,10000', runs = '1000']: string[]): Promise<void> {
  console.log(`load of the machine: ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores\n`);
  console.log('| turns | served, first open (ms) | again (ms) | to the last turn (ms) | file (ms) | file (MiB) |');
  console.log('|---|---|---|---|---|---|');
  const browser = await chromium.launch({
    executablePath: chromiumBinary(),
    args: ['--no-sandbox'],
  });
  try {
    for (const count of turns.split(',').map(Number)) console.log(await measured(browser, count));
    console.log(
      '\n| runs in the list | served, first open (ms) | again (ms) | sorted by cost (ms) | file (ms) | file (MiB) |',
    );
    console.log('|---|---|---|---|---|---|');
    for (const count of runs.split(',').map(Number)) console.log(await measuredList(browser, count));
  } finally {
    await browser.close();
  }
}

async function measured(browser: Browser, turns: number): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'pointsman-bench-viewer-'));
  try {
    const { rows, campaign } = await writeSampleCampaign(home, { rollouts: 1, steps: [turns, turns], kinds: ['good'] });
    const { source, serving } = await served(home, campaign);
    const run = `#/run/${encodeURIComponent(rows[0]!.id)}`;
    const first = await opened(browser, serving.url + run, '.turn');
    const again = await opened(browser, serving.url + run, '.turn');
    const last = await opened(browser, `${serving.url}${run}/turn/${turns}`, `.selected [data-turn="${turns}"]`);
    await serving.close();
    const file = join(home, 'viewer.html');
    await exportViewer(source, file, { title: 'bench', limit: 64 * 1024 * 1024 });
    const packed = await opened(browser, pathToFileURL(file).href + run, '.turn');
    const size = (statSync(file).size / 1024 / 1024).toFixed(1);
    return `| ${turns} | ${first} | ${again} | ${last} | ${packed} | ${size} |`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function measuredList(browser: Browser, runs: number): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'pointsman-bench-viewer-'));
  try {
    const { campaign } = await writeSampleCampaign(home, { rollouts: runs });
    const { source, serving } = await served(home, campaign);
    const row = '.runs tbody tr[data-index]';
    const first = await opened(browser, serving.url, row);
    const again = await opened(browser, serving.url, row);
    const sorted = await opened(browser, `${serving.url}#/?sort=cost&down=true`, row);
    await serving.close();
    const file = join(home, 'viewer.html');
    await exportViewer(source, file, { title: 'bench', limit: 64 * 1024 * 1024 });
    const packed = await opened(browser, pathToFileURL(file).href, row);
    const size = (statSync(file).size / 1024 / 1024).toFixed(1);
    return `| ${runs} | ${first} | ${again} | ${sorted} | ${packed} | ${size} |`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function served(home: string, campaign: string) {
  process.env.POINTSMAN_HOME = home;
  process.env.TEMPORAL_ADDRESS = `127.0.0.1:${await freePort()}`;
  const source = new HomeSource(new Cli(), { campaigns: [campaign], runs: [], setups: [] });
  await source.list();
  return { source, serving: await serveViewer(source, { port: 0, host: '127.0.0.1', title: 'bench' }) };
}

/** Milliseconds from asking for an address in a fresh profile until the element is there and drawn. */
async function opened(browser: Browser, url: string, selector: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  const began = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.waitForSelector(selector);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  const took = Math.round(performance.now() - began);
  await context.close();
  return took;
}
