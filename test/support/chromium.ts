import { source as axe } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumBinary } from '../../src/machine/chromium';

const CHROMIUM = chromiumBinary();

/** `describe` where there is a browser; where there is none, the tests are named and skipped. */
export const describeInBrowser = CHROMIUM ? describe : describe.skip;

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}

export interface Watched {
  readonly page: Page;
  /** Errors of the console and of scripts, and requests that went anywhere but to `home`. */
  readonly troubles: string[];
}

/** A page whose every complaint is written down. */
export async function watchedPage(
  browser: Browser,
  home: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`script: ${error.message}`));
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    // A served page's own address, whatever its first link carried; of a file, the file alone.
    if (!request.url().startsWith(home.replace(/\?token=.*$/, '')) && !request.url().startsWith('data:'))
      troubles.push(`request: ${request.url()}`);
  });
  return { page, troubles };
}

/** The rules of WCAG 2.2 at level AA, and good practice. */
const ALL = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What other colours can break. */
export const CONTRAST = ['color-contrast'];

/** Findings of axe that are serious or worse, in a line each. */
export async function axeFindings(page: Page, runOnly: readonly string[] = ALL): Promise<string[]> {
  // As the debugger evaluates it: the page's own policy lets no script of ours in.
  await page.evaluate(axe);
  const found = (await page.evaluate(`axe.run(${JSON.stringify({ resultTypes: ['violations'], runOnly })})`)) as {
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`));
}
