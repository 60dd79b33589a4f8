import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const CANDIDATES = [process.env.CHROME, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A real browser of this machine; undefined where there is none. */
export const CHROMIUM = CANDIDATES.find((path): path is string => path !== undefined && existsSync(path));

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
    if (!request.url().startsWith(home) && !request.url().startsWith('data:'))
      troubles.push(`request: ${request.url()}`);
  });
  return { page, troubles };
}
