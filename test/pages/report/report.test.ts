import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { BY_MODEL, FunnelStage } from '../../../src/contract';
import type { ReportMaterial } from '../../../src/pages/report/material';
import { type BuiltReport, buildReport } from '../../../src/pages/report/report';
import { axeFindings, CONTRAST, describeInBrowser, launch, watchedPage } from '../../support/chromium';
import { hostileMaterial, sampleMaterial, sparseMaterial } from '../../support/sample-report';
import { readCsv } from './read-csv';

const full = sampleMaterial();
const report = buildReport(full);
const csv = (built: BuiltReport, name: string) => {
  const found = built.csv.find((each) => each.name === `${name}.csv`);
  if (!found) throw new Error(`no ${name}.csv among ${built.csv.map((each) => each.name).join(', ')}`);
  return readCsv(found.text);
};
const numbers = (rows: readonly Record<string, string>[], key: string) => rows.map((row) => Number(row[key]));
const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);

describe('what it says', () => {
  test('the same material gives the same bytes', () => {
    expect(buildReport(sampleMaterial())).toEqual(report);
  });

  test('every planned rollout is counted once: stages less their losses are the next, and reasons sum to the losses', () => {
    const stages = csv(report, 'funnel-by-method');
    const losses = csv(report, 'losses');
    for (const method of ['bc', 'oec', 'on-policy']) {
      const own = stages.filter((row) => row.method === method);
      expect(own.map(({ stage }) => stage)).toEqual(FunnelStage.options);
      expect(Number(own[0]!.count)).toBe(full.rows.filter((row) => row.method === method).length);
      own.forEach((row, at) => {
        if (at > 0) expect(Number(row.count)).toBe(Number(own[at - 1]!.count) - Number(row.lost));
        const reasons = losses.filter((loss) => loss.method === method && loss.stage === row.stage);
        expect(sum(numbers(reasons, 'count'))).toBe(Number(row.lost));
      });
      expect(Number(own.at(-1)!.count)).toBe(
        full.dataset!.result.funnels.find((each) => each.method === method)!.funnel.stages.at(-1)!.count,
      );
    }
    const all = stages.filter((row) => row.method === 'all methods');
    for (const [at, row] of all.entries()) {
      const parts = stages.filter(({ method, stage }) => method !== 'all methods' && stage === row.stage);
      expect(Number(row.count)).toBe(sum(numbers(parts, 'count')));
      expect(at).toBe(FunnelStage.options.indexOf(row.stage as FunnelStage));
    }
  });

  test('what was drawn at each switch index is one of four things', () => {
    for (const row of csv(report, 'switch-survival')) {
      expect(Number(row.drawn)).toBe(
        Number(row.handed_over) + Number(row.submitted_before_switch) + Number(row.ended_before_switch),
      );
      expect(Number(row.resolved)).toBeLessThanOrEqual(Number(row.handed_over));
    }
    const drawn = full.rows.filter(({ method, result }) => method === 'oec' && result).length;
    expect(sum(numbers(csv(report, 'switch-survival'), 'drawn'))).toBe(drawn);
  });

  test('money, licences and mixture sum to what was spent, rolled out and kept', () => {
    const spent = sum(full.rows.map(({ result }) => result?.cost.usd ?? 0));
    expect(sum(numbers(csv(report, 'cost-by-method'), 'usd'))).toBeCloseTo(spent, 9);
    const licences = csv(report, 'licences');
    expect(sum(numbers(licences, 'rollouts'))).toBe(full.rows.length);
    expect(sum(numbers(licences, 'kept'))).toBe(full.dataset!.result.rows);
    expect(sum(numbers(csv(report, 'mixture'), 'rows'))).toBe(full.dataset!.result.rows);
  });

  test('shares of each failure group are whole, and the paper’s rows are marked as the paper’s', () => {
    const rows = csv(report, 'failure-table');
    const group = (row: Record<string, string>, begins: string) =>
      Object.keys(row)
        .filter((key) => key.startsWith(begins) && !key.endsWith('_share'))
        .map((key) => Number(row[key] || 0));
    for (const row of rows) {
      const tolerance = row.source === 'paper' ? 0.0021 : 1e-9;
      expect(Math.abs(sum(group(row, 'submitted_')) - 1)).toBeLessThan(tolerance);
      expect(Math.abs(sum(group(row, 'not_submitted_')) - 1)).toBeLessThan(tolerance);
    }
    expect(rows.filter(({ source }) => source === 'paper')).toHaveLength(6);
    expect(
      rows
        .filter(({ source }) => source === 'this report')
        .map(({ method }) => method)
        .sort(),
    ).toEqual(['bc', 'oec', 'on-policy']);
  });

  test('a part is there where its input is, and only there', () => {
    const empty: ReportMaterial = { ...sparseMaterial(), rows: [], rehearsal: false };
    expect(buildReport(empty).parts).toEqual(['How these numbers were made']);
    const parts = (changed: Partial<ReportMaterial>) => buildReport({ ...empty, ...changed }).parts;
    expect(parts({ dataset: full.dataset })).toEqual(
      expect.arrayContaining(['From planned to kept', 'The training set', 'Repetition among what passes']),
    );
    expect(parts({ covariateShift: full.covariateShift })).toContain('Covariate shift between student and expert');
    expect(parts({ setups: full.setups })).toContain('Set-ups and their verdicts');
    expect(parts({ problems: full.problems, problemReports: [null] })).toContain('Problems built from repositories');
    expect(parts({ failureAnalysis: full.failureAnalysis })).toEqual(
      expect.arrayContaining(['Why rollouts fail', 'The switch from student to expert']),
    );
    expect(report.parts).toHaveLength(10);
  });

  test('it leads with one sentence and one funnel', () => {
    const main = report.page.slice(report.page.indexOf('<main>'));
    const [, sentence = ''] = /^<main>\n<p class="lead">([^<]*)<\/p>\n/.exec(main) ?? [];
    expect(sentence).toContain(
      `Of ${full.rows.length} planned rollouts, the training set keeps ${full.dataset!.result.rows}`,
    );
    expect(sentence).toMatch(/95 %, by resampling instances: [\d.]+ to [\d.]+/);
    const before = main.slice(0, main.indexOf('<dl class="headlines">'));
    expect(before.split('<svg class="chart"').length - 1).toBe(1);
    expect(before).toContain('all methods');
    expect(buildReport({ ...full, rows: [], dataset: null, problems: [] }).page).toMatch(
      /<p class="lead">Of 12 set-ups, 7 were found not guilty\./,
    );
  });

  test('the method of each interval is named where it stands', () => {
    const withInterval = report.csv.filter(({ text }) => /(^|,|_)low(,|_|\r)/.test(text.split('\n')[0]!));
    expect(withInterval.length).toBeGreaterThan(4);
    for (const { name } of withInterval) {
      const id = name.replace(/\.csv$/, '');
      const figure = report.page.slice(report.page.indexOf(`<figure id="${id}"`));
      const caption = figure.slice(0, figure.indexOf('</figcaption>')).replaceAll(/<[^>]*>/g, '');
      expect({ id, caption }).toEqual({ id, caption: expect.stringMatching(/Wilson|Newcombe|resampling/) });
    }
  });

  test('a rehearsal says so, a result does not', () => {
    expect(buildReport(sparseMaterial()).page).toContain('This is a rehearsal.');
    expect(report.page).not.toContain('This is a rehearsal.');
  });

  test('counts that do not add up as they were given are not passed off', () => {
    const { result } = full.dataset!;
    const [first, ...others] = result.funnels;
    const stages = first!.funnel.stages.map((each, at) => (at === 3 ? { ...each, count: each.count + 1 } : each));
    const funnels = [{ method: first!.method, funnel: { ...first!.funnel, stages } }, ...others];
    const broken = buildReport({ ...full, dataset: { ...full.dataset!, result: { ...result, funnels } } });
    expect(broken.page).toContain('do not add up');
    expect(report.page).not.toContain('do not add up');
  });

  test('verdicts in doubt are counted, and what reviews said of them', () => {
    const said = { why: 'looked at it', at: '2026-11-25T00:00:00.000Z' };
    const reviews = [
      { ...said, accepted: true, by: 'ann' },
      { ...said, accepted: false, by: `${BY_MODEL}judge` },
    ];
    const rows = full.rows.map((row, at) => (at < 2 ? { ...row, review: reviews[at]! } : row));
    expect(buildReport({ ...full, rows }).page).toContain(
      'Verdicts in doubt: 2. Reviews accepted 1 and refused 1 (1 by a model); 0 wait for one',
    );
    expect(report.page).not.toContain('Verdicts in doubt');
  });

  test('passes that no wrong expectation stands behind are counted', () => {
    const passed = full.rows.filter(({ result }) => result?.resolved && result.grade);
    const controls = { tests: 1, of: 1, kinds: { value: 1 }, run: 3, passed: [], silent: [], dependent: [] };
    const page = (run: number) => {
      const proved = { ...passed[0]!.result!.grade!, controls: { ...controls, run } };
      const rows = full.rows.map((row) =>
        row === passed[0] ? { ...row, result: { ...row.result!, grade: proved } } : row,
      );
      return buildReport({ ...full, rows }).page.replaceAll(/<[^>]*>/g, '');
    };
    expect(page(0)).toContain(`Of ${passed.length} resolved rollouts, ${passed.length} passed tests of which none`);
    expect(page(3)).toContain(`Of ${passed.length} resolved rollouts, ${passed.length - 1} passed tests of which none`);
  });

  test('a data set of other rollouts is not divided by these', () => {
    const other = buildReport({ ...full, rows: full.rows.slice(0, 150) });
    expect(other.page).toContain('not the same set');
    expect(csv(other, 'cost-by-method').map(({ usd_per_kept }) => usd_per_kept)).toContain('');
    expect(Object.keys(csv(other, 'licences')[0]!)).not.toContain('kept');
  });
});

describeInBrowser('in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pointsman-report-'));
  const hostile = buildReport(hostileMaterial());
  let browser: Browser;
  const address = (name: string, built: BuiltReport) => {
    const path = join(folder, `${name}.html`);
    writeFileSync(path, built.page);
    return pathToFileURL(path).href;
  };
  const pages = {
    full: address('full', report),
    sparse: address('sparse', buildReport(sparseMaterial())),
    hostile: address('hostile', hostile),
  };

  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const opened = async (url: string, options: BrowserContextOptions) => {
    const watched = await watchedPage(browser, url, options);
    await watched.page.goto(url);
    return watched;
  };

  test('the contents stay in view on a wide screen, beside the text and not over it', async () => {
    const { page, troubles } = await opened(pages.full, { viewport: { width: 1400, height: 900 } });
    const nav = page.getByRole('navigation', { name: 'Parts' });
    for (const at of ['#funnel', '#how']) {
      await nav.locator(`a[href="${at}"]`).click();
      const box = (await nav.boundingBox())!;
      const part = (await page.locator(at).boundingBox())!;
      expect(box.y).toBe(0);
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(part.x);
      expect(part.y).toBeLessThan(900);
    }
    expect(troubles).toEqual([]);
    await page.context().close();
  });

  test('nothing but its own charts and tables scrolls sideways on a phone', async () => {
    const { page } = await opened(pages.full, { viewport: { width: 390, height: 844 } });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.context().close();
  });

  test.each([
    ['full', 'light', undefined],
    ['full', 'dark', CONTRAST],
    ['sparse', 'light', undefined],
    ['hostile', 'dark', undefined],
  ] as const)(
    '%s, %s: no error, no request, nothing that keeps anyone from reading it',
    async (name, colorScheme, rules) => {
      const { page, troubles } = await opened(pages[name], { colorScheme });
      // Folded figures are part of it.
      await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
      expect(await axeFindings(page, rules)).toEqual([]);
      expect(troubles).toEqual([]);
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
        colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 23, 28)',
      );
    },
  );

  test('without scripts it is all there, and nothing is wider than a small screen', async () => {
    const { page } = await opened(pages.full, { colorScheme: 'light', javaScriptEnabled: false });
    expect(await page.locator('figure').count()).toBe(report.csv.length);
    const { page: small } = await opened(pages.full, { colorScheme: 'light', viewport: { width: 360, height: 800 } });
    expect(await small.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });

  test('each figure carries its CSV, which is the file beside the page, and its table has the same rows', async () => {
    const { page } = await opened(pages.full, { colorScheme: 'light' });
    for (const { name, text } of report.csv) {
      const link = page.locator(`a[download="${name}"]`);
      const href = (await link.getAttribute('href'))!;
      expect(decodeURIComponent(href.slice(href.indexOf(',') + 1))).toBe(text);
      const id = name.replace(/\.csv$/, '');
      expect(await page.locator(`#${id} .table tbody tr`).count()).toBe(Math.max(1, readCsv(text).length));
    }
    const download = page.waitForEvent('download');
    await page.locator('a[download="losses.csv"]').click();
    expect((await download).suggestedFilename()).toBe('losses.csv');
  });

  test('names of others do nothing: no element, no script, no address and no formula comes of them', async () => {
    const { page, troubles } = await opened(pages.hostile, { colorScheme: 'light' });
    await page.waitForTimeout(200);
    expect(await page.evaluate('window.owned')).toBeUndefined();
    expect(troubles).toEqual([]);
    const count = (selector: string) => page.locator(selector).count();
    expect(await count('script')).toBe(0);
    expect(await count('img')).toBe(0);
    expect(await count('[onerror]')).toBe(0);
    expect(
      await page.evaluate(
        `[...document.links].map(({ protocol }) => protocol).filter((each) => !/^(https?|file|data):$/.test(each))`,
      ),
    ).toEqual([]);
    expect(await page.evaluate('document.body.innerText')).toContain('\\u202egnp.exe\\x00');
    expect(await page.title()).toContain('</title></script>');
    for (const { text } of hostile.csv)
      for (const row of readCsv(text))
        for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+@]|^-(?!\d)/);
  });

  test('a script that got in would not run: the policy names none', async () => {
    const path = join(folder, 'injected.html');
    writeFileSync(
      path,
      report.page.replace('<main>', '<main><script>window.owned = 1</script><img src="x" onerror="window.owned = 1">'),
    );
    const { page, troubles } = await opened(pathToFileURL(path).href, { colorScheme: 'light' });
    expect(await page.evaluate('window.owned')).toBeUndefined();
    expect(troubles.join()).toContain('Content Security Policy');
  });

  test('on paper: light, within the page, no chart cut in two', async () => {
    const { page } = await opened(pages.full, { colorScheme: 'dark', viewport: { width: 680, height: 900 } });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await widest(page)).toBeLessThanOrEqual(680);
    expect(await page.evaluate('getComputedStyle(document.querySelector(".chart")).breakInside')).toBe('avoid');
    const pdf = await page.pdf({ preferCSSPageSize: true });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  });
});

/** Right edge of what reaches farthest. */
async function widest(page: Page): Promise<number> {
  return page.evaluate(
    'Math.max(...[...document.querySelectorAll("main *")].filter((each) => each.checkVisibility()).map((each) => each.getBoundingClientRect().right))',
  );
}
