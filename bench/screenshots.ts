import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { Cli } from '../src/cli/context';
import { newest } from '../src/cli/lookup';
import { HomeSource } from '../src/cli/view/source';
import { type PipelineResult, PointsmanError } from '../src/contract';
import { REPOSITORY } from '../src/home';
import { chromiumBinary } from '../src/machine/chromium';
import { serveViewer } from '../src/pages/viewer/server/server';

const FOLDER = join(REPOSITORY, 'docs', 'images');
const WIDE = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };
/** Of the Temporal UI: its menu and its bar are cut off. */
const [TALL, WIDER, UI_MENU, UI_BAR] = [{ width: 1480, height: 1780 }, { width: 1480, height: 880 }, 256, 48];
/** The demo's pipeline, and the real bug among its problems. */
const [PIPELINE, INSTANCE] = ['line/demo', 'yamllint-ignore-list'];

/**
 * `npm run screenshots`: the pictures of README and guides, out of what `npm run demo` and `npm run demo -- rollout` left
 * in this home. Viewer (a run, two side by side, a phone's width), report, Temporal UI. Look at them before you commit them.
 */
async function main(): Promise<void> {
  const cli = new Cli();
  const client = await cli.client();
  const { ui } = await cli.local();
  const { campaign, report } = (await client.workflow.getHandle(PIPELINE).result()) as PipelineResult;
  const source = new HomeSource(cli, { campaigns: campaign ? [campaign.id] : [], runs: [], setups: [] });
  const { runs } = await source.list();
  const one = (method: string) => runs.find((run) => run.method === method && run.instance === INSTANCE);
  const [corrected, student] = [one('oec'), one('on-policy')];
  if (!corrected || !student || !report || !ui)
    throw new PointsmanError('NotFound', 'this home has no whole demo', 'Run `npm run demo` first.');

  const rollout = await newestRollout(cli);
  const browser = await chromium.launch({ executablePath: chromiumBinary(), args: ['--no-sandbox'] });
  const serving = await serveViewer(source, { port: 0, host: '127.0.0.1', title: 'demo' });
  const shot = async (name: string, url: string, ready: string, { viewport, clip, act }: Framing) => {
    const page = await browser.newPage({ viewport, colorScheme: 'light' });
    await page.goto(url);
    // The Temporal UI fetches its parts one by one, which takes half a minute on a busy machine.
    await page.locator(ready).first().waitFor({ timeout: 180_000 });
    await act?.(page);
    // What is still drawn, or comes from the server.
    await page.waitForLoadState('networkidle').catch(() => undefined);
    await page.waitForTimeout(500);
    const path = join(FOLDER, `${name}.png`);
    await page.screenshot({ path, clip });
    await page.close();
    console.log(path);
  };
  try {
    const id = encodeURIComponent;
    const run = `${serving.url}#/run/${id(corrected.id)}`;
    const pair = `${serving.url}#/compare/${id(corrected.id)}/${id(student.id)}`;
    // The last turn of the student, and the expert that takes over.
    const turn = corrected.k || 1;
    await shot('viewer-trajectory', `${run}/turn/${turn}`, '.selected', { viewport: WIDE });
    await shot('viewer-phone', run, '.turn', { viewport: PHONE });
    await shot('viewer-pair', `${pair}/turn/${turn}`, '.here', { viewport: WIDE });
    const page = pathToFileURL(join(report.folder, report.page.path)).href;
    await shot('report-funnel', page, 'svg:visible', { viewport: WIDE });
    const link = cli.uiLink(ui, client, rollout);
    await shot('ui-timeline', link, 'h2:has-text("Timeline")', {
      viewport: TALL,
      clip: { x: UI_MENU, y: UI_BAR, width: TALL.width - UI_MENU, height: TALL.height - UI_BAR },
    });
    await shot('ui-details', link, 'text=User Metadata', {
      viewport: WIDER,
      clip: { x: UI_MENU, y: UI_BAR, width: WIDER.width - UI_MENU, height: WIDER.height - UI_BAR },
      act: async (page) => {
        await page.getByText('User Metadata').first().click();
        await page.getByText('Current Details').first().waitFor();
      },
    });
  } finally {
    await serving.close();
    await browser.close();
    await cli.close();
  }
}

interface Framing {
  readonly viewport: { width: number; height: number };
  readonly clip?: { x: number; y: number; width: number; height: number };
  /** What is done on the page before. */
  act?(page: Page): Promise<void>;
}

/** Of `demo rollout`, whose worker is killed at a turn. */
async function newestRollout(cli: Cli): Promise<string> {
  const query = `WorkflowType = 'rollout' AND WorkflowId STARTS_WITH 'rollout/${INSTANCE}/' AND Resolved = true`;
  const [found] = await newest(cli, query, 1);
  if (found) return found.workflowId;
  throw new PointsmanError('NotFound', 'this home has no demo of a rollout', 'Run `npm run demo -- rollout` first.');
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    console.error(error.message);
    process.exit(1);
  },
);
