import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { Cli } from '../src/cli/context';
import { HomeSource } from '../src/cli/view/source';
import { PointsmanError } from '../src/contract';
import { REPOSITORY } from '../src/home';
import { chromiumBinary, ensureChromium } from '../src/machine/chromium';
import { serveViewer } from '../src/pages/viewer/server/server';

const FOLDER = join(REPOSITORY, 'docs', 'images');
const WIDE = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };
/** The demo's, by its own names. */
const CAMPAIGN = 'line/demo/campaign';

/**
 * The pictures of README and guides, out of what `npm run demo` left in this home: viewer (a run, two side by side, a phone),
 * report, Temporal UI. `npm run screenshots`; look at them before you commit them.
 */
async function main(): Promise<void> {
  await ensureChromium((line) => console.error(line));
  mkdirSync(FOLDER, { recursive: true });
  const cli = new Cli();
  const browser = await chromium.launch({ executablePath: chromiumBinary(), args: ['--no-sandbox'] });
  const source = new HomeSource(cli, { campaigns: [CAMPAIGN], runs: [], setups: [] });
  const { runs } = await source.list();
  const mixed = runs.find(({ method, resolved }) => method === 'oec' && resolved);
  const cloned = runs.find(({ method, instance }) => method === 'bc' && instance === mixed?.instance);
  if (!mixed || !cloned)
    throw new PointsmanError('NotFound', 'the demo is not in this home', 'Run `npm run demo` first.');
  const serving = await serveViewer(source, { port: 0, host: '127.0.0.1', title: 'demo' });
  const shot = async (name: string, size: typeof WIDE, url: string, ready: (page: Page) => Promise<unknown>) => {
    const page = await browser.newPage({ viewport: size, deviceScaleFactor: 1 });
    await page.goto(url);
    await ready(page);
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
    await page.close();
    console.log(join(FOLDER, `${name}.png`));
  };
  const id = encodeURIComponent;
  const turns = (page: Page) =>
    page
      .getByText(/expert/)
      .first()
      .waitFor();
  try {
    await shot('viewer-trajectory', WIDE, `${serving.url}#/run/${id(mixed.id)}`, turns);
    await shot('viewer-phone', PHONE, `${serving.url}#/run/${id(mixed.id)}`, turns);
    await shot('viewer-pair', WIDE, `${serving.url}#/compare/${id(mixed.id)}/${id(cloned.id)}`, turns);
    const report = join(cli.settings.home, 'reports', 'demo', 'index.html');
    await shot('report-funnel', WIDE, `file://${report}`, (page) => page.locator('svg').first().waitFor());
    const local = await cli.local();
    if (local.ui) {
      const run = `${local.ui}/namespaces/default/workflows/${id(mixed.id)}`;
      await shot('ui-timeline', WIDE, run, (page) => page.getByText('callModel').first().waitFor());
      await shot('ui-details', WIDE, `${run}/user-metadata`, (page) =>
        page.getByText('Current Details').first().waitFor(),
      );
    }
  } finally {
    await serving.close();
    await browser.close();
    await cli.close();
  }
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    console.error(error.message);
    process.exit(1);
  },
);
