import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { loadSetupSteps } from '../../../src/cli/setup/reading';
import { unknownLine } from '../../../src/cli/view/lines';
import type { RolloutRow } from '../../../src/contract';
import { dollars } from '../../../src/pages/figures';
import { clip } from '../../../src/pages/viewer/clip';
import { setupPage } from '../../../src/pages/viewer/run-page';
import { exportViewer } from '../../../src/pages/viewer/server/export';
import type { ViewerSource } from '../../../src/pages/viewer/server/server';
import { type Serving, serveViewer } from '../../../src/pages/viewer/server/server';
import { setupTurnView } from '../../../src/pages/viewer/turn-view';
import { writeSetup } from '../../cli/sample-setup';
import { axeFindings, CONTRAST, describeInBrowser, launch, type Watched, watchedPage } from '../../support/chromium';
import { HOSTILE } from '../../support/sample-trajectory';
import { sampleSource } from './home-source';

/** The real source, with some of its answers in another state. */
const servedFrom = (other: Partial<ViewerSource>): ViewerSource => ({
  list: () => at.source.list(),
  run: (id) => at.source.run(id),
  forks: (id) => at.source.forks(id),
  events: (id) => at.source.events(id),
  search: (id, words) => at.source.search(id, words),
  blob: (sha256) => at.source.blob(sha256),
  act: (id, act) => at.source.act(id, act),
  ...other,
});

let at: Awaited<ReturnType<typeof sampleSource>>;
let serving: Serving;
let browser: Browser;
let watched: Watched;
let page: Page;
let mixed: RolloutRow;

const here = (id: string, part = '') => `${serving.url}#/run/${encodeURIComponent(id)}${part}`;
const kind = (wanted: string) => at.sample.rows.find(({ id }) => at.sample.kinds.get(id) === wanted)!;
/** A run of the same problem with another policy. */
const otherOf = ({ instance, method }: RolloutRow) =>
  at.sample.rows.find((row) => row.instance === instance && row.method !== method && row.result)!;
const beside = (left: string, right: string) =>
  `${serving.url}#/compare/${encodeURIComponent(left)}/${encodeURIComponent(right)}`;
/** What a browser says of a run that is not there, once an address. */
const NOT_FOUND = 'console: Failed to load resource: the server responded with a status of 404 (Not Found)';
const said = (troubles: string[]) => troubles.splice(0).filter((trouble) => trouble !== 'request: about:blank');
/** An address of every screen, the last of a run that is not there. */
const everyPlace = () => [
  serving.url,
  here(mixed.id),
  here(mixed.id, '/patch'),
  here(kind('wrong').id, '/tests'),
  here(mixed.id, '/cost'),
  here(mixed.id, '/problem'),
  here(mixed.id, '/family'),
  beside(mixed.id, otherOf(mixed).id),
  here('no such run'),
];
/** The page keeps its state in its address, so that each test begins with an address of its own. */
const open = async (url: string) => {
  await page.goto('about:blank');
  await page.goto(url);
};

describeInBrowser('the viewer in a browser', () => {
  beforeAll(async () => {
    at = await sampleSource({ rollouts: 48, seed: 2 });
    serving = await serveViewer(at.source, { port: 0, host: '127.0.0.1', title: 'sample' });
    browser = await launch();
    watched = await watchedPage(browser, serving.url);
    ({ page } = watched);
    mixed = at.sample.rows.find(({ result }) => (result?.turns.student ?? 0) > 2 && (result?.turns.expert ?? 0) > 5)!;
  });
  afterAll(async () => {
    await browser?.close();
    await serving?.close();
    at?.remove();
  });
  // Whatever a test did: nothing complained, nothing was asked of anybody else, no foreign script ran.
  afterEach(async () => {
    expect(said(watched.troubles)).toEqual([]);
    expect(await page.title()).not.toBe('owned');
  });

  it('shows reasoning apart, what was read leniently, and replies that no turn came of', async () => {
    const page0 = await at.source.run(mixed.id);
    const [first, ...others] = page0!.turns;
    const refused = {
      author: 'student' as const,
      code: 'multiple_actions',
      reply: clip('I list the files and read the first.', 400),
      told: clip('Your reply has 2 function calls; none was run.', 400),
    };
    const line = { ...page0!.line, handOverReason: 'format_exhausted' };
    const turns = [
      { ...first!, reasoning: clip('Where would a sum be made?', 400), lenient: ['call as text'] },
      ...others,
    ];
    const shown = servedFrom({
      run: async () => ({ ...page0!, line, turns, refused: [refused, { ...refused, author: null }] }),
    });
    const { url, close } = await serveViewer(shown, { port: 0, host: '127.0.0.1', title: 'replies' });
    await open(`${url}#/run/${encodeURIComponent(mixed.id)}`);
    await page.waitForSelector('.turn');
    expect(await page.locator('.part.reasoning').first().textContent()).toContain('Where would a sum be made?');
    expect(await page.locator('.turn .chip', { hasText: 'call as text' }).count()).toBe(1);
    expect(await page.locator('.lede').textContent()).toContain('replies of the student could not be read');
    const unread = page.getByRole('article', { name: 'Replies that could not be read' });
    expect(await unread.textContent()).toContain('Reply 1 of the student could not be read (multiple actions)');
    expect(await unread.textContent()).toContain('none was run');
    expect(await axeFindings(page)).toEqual([]);
    await close();
    watched.troubles.splice(0);
  });

  it('lists, filters, sorts, and keeps what was asked for in the address', async () => {
    await open(serving.url);
    await page.waitForSelector('.runs tbody tr[data-index]');
    expect(await page.locator('.counts').textContent()).toMatch(/^48 runs/);
    await page.getByLabel('Method').selectOption('oec');
    const oec = at.sample.rows.filter(({ method }) => method === 'oec').length;
    expect(await page.locator('.counts').textContent()).toMatch(new RegExp(`^${oec} of 48 runs`));
    await page.getByRole('button', { name: 'Turns', exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#/?method=oec&sort=turns');
    const turns = await page.locator('.runs tbody tr[data-index] td:nth-child(7)').allTextContents();
    const numbers = turns.filter((text) => text !== '–').map(Number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    await page.getByLabel('Search').fill('no such run');
    expect(await page.locator('.runs .empty').textContent()).toBe('No run fits these filters.');
    await open(`${serving.url}#/?method=bc`);
    await page.waitForSelector('.runs tbody tr[data-index]');
    expect(await page.getByLabel('Method').inputValue()).toBe('bc');
  });

  it('sorts on every column, filters by state, and copies the id of a run', async () => {
    const own = await watchedPage(browser, serving.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    const list = own.page;
    await list.goto(serving.url);
    await list.waitForSelector('.runs tbody tr[data-index]');
    const heads = await list.locator('.runs thead th').allTextContents();
    const columnOf = (column: number) => list.locator(`.runs tbody tr[data-index] td:nth-child(${column})`);
    for (const [at, head] of heads.entries()) {
      await list.locator(`.runs thead th:nth-child(${at + 1}) button`).click();
      expect(await list.locator('.runs thead th[aria-sort=ascending]').allTextContents()).toEqual([`${head} ↑`]);
      const up = await columnOf(at + 1).allTextContents();
      await list.locator(`.runs thead th:nth-child(${at + 1}) button`).click();
      expect(await list.locator('.runs thead th[aria-sort=descending]').count()).toBe(1);
      expect(await columnOf(at + 1).allTextContents()).not.toEqual(up);
      await list.locator(`.runs thead th:nth-child(${at + 1}) button`).click();
    }
    await list.getByLabel('State').selectOption('failed');
    const failed = at.sample.rows.filter(({ outcome }) => outcome === 'failed');
    expect(await list.locator('.counts').textContent()).toMatch(new RegExp(`^${failed.length} of 48 runs`));
    await list.getByLabel('State').selectOption('');
    const { id } = at.sample.rows[0]!;
    await list.getByRole('button', { name: `Copy: id ${id}`, exact: true }).click();
    const clipboard = () => list.evaluate('navigator.clipboard.readText()');
    expect(await clipboard()).toBe(id);
    // The row is a link; the button in it is not.
    expect(new URL(list.url()).hash).toBe('#/');
    await list.goto(here(mixed.id, '/turn/2'));
    await list.waitForSelector('.selected .turn[data-turn="2"]');
    await list.getByRole('button', { name: 'Copy: id of the run' }).click();
    expect(await clipboard()).toBe(mixed.id);
    await list.getByRole('button', { name: 'Copy: hash of the head' }).click();
    expect(await clipboard()).toBe(mixed.result!.head);
    await list.getByRole('button', { name: 'Copy: hash of the step' }).click();
    expect(await clipboard()).toBe((await at.source.run(mixed.id)).turns[1]!.hash);
    expect(own.troubles).toEqual([]);
    await list.context().close();
  });

  it('adds up the cost by turn', async () => {
    await open(here(mixed.id, '/turn/2'));
    await page.waitForSelector('.selected .turn[data-turn="2"]');
    expect(await page.locator('.aside .facts').textContent()).toContain('Cost so far$0.0020');
    await page.getByRole('link', { name: /^Cost/ }).click();
    await page.waitForSelector('.costs tr[data-turn]');
    const { total, student } = mixed.result!.turns;
    expect(await page.locator('.costs tr[data-turn]').count()).toBe(total);
    const last = page.locator('.costs tr[data-turn]').last().locator('td');
    expect(await last.nth(2).textContent()).toBe(dollars(mixed.result!.cost.usd));
    const handOver = page.locator(`.costs tr[data-turn="${student + 1}"] td`);
    expect(await handOver.nth(1).textContent()).toBe('$0.010');
    await page.getByRole('link', { name: String(total), exact: true }).click();
    await page.waitForSelector(`.selected .turn[data-turn="${total}"]`);
  });

  it('tells a stranger what a run is: verdict, hand-over, who did what, what is trained', async () => {
    await open(here(mixed.id));
    await page.waitForSelector('.turn');
    const { student, expert, total } = mixed.result!.turns;
    expect(await page.locator('.lede').textContent()).toContain(
      `The student made turns 1–${student}, then the expert took over`,
    );
    expect(await page.locator('.turn').count()).toBe(total);
    expect(await page.locator('.turn.expert .trained-chip').count()).toBe(expert);
    expect(await page.locator('.turn.student .trained-chip').count()).toBe(0);
    expect(await page.locator('.hand-over').allTextContents()).toEqual([
      `Hand-over after turn ${student}: the expert takes over`,
    ]);
    // What came back is nothing that a model is trained on.
    expect(await page.locator('.trained-part .part.output').count()).toBe(0);
    expect(await page.locator('.trained-part .part.action').count()).toBe(expert);
  });

  it('goes by keys, and its address names the turn', async () => {
    await open(here(mixed.id, '/turn/3'));
    await page.waitForSelector('.selected .turn[data-turn="3"]');
    await page.keyboard.press('j');
    await page.waitForSelector('.selected .turn[data-turn="4"]');
    expect(page.url()).toMatch(/\/turn\/4$/);
    await page.keyboard.press('k');
    await page.waitForSelector('.selected .turn[data-turn="3"]');
    await page.keyboard.press('x');
    await page.waitForSelector(`.selected .turn[data-turn="${mixed.result!.turns.student + 1}"]`);
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog[open]', { state: 'detached' });
    await page.keyboard.press('l');
    await page.waitForURL(({ hash }) => !hash.startsWith(`#/run/${encodeURIComponent(mixed.id)}`));
    await page.keyboard.press('h');
    await page.waitForURL(({ hash }) => hash.startsWith(`#/run/${encodeURIComponent(mixed.id)}`));
    await page.locator('.eyebrow code', { hasText: mixed.id }).waitFor();
    await page.waitForSelector('.turn');
    await page.keyboard.press('/');
    await page.keyboard.type('mended at turn');
    await page.keyboard.press('Enter');
    await page.locator('.turn-search .note', { hasText: /^\d+ of \d+ turn/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForSelector('.runs tbody tr[data-index]');
  });

  it('folds thoughts, actions and outputs apart', async () => {
    await open(here(mixed.id));
    await page.waitForSelector('.turn');
    await page.keyboard.press('o');
    await page.locator('.part.output .text').first().waitFor({ state: 'detached' });
    expect(await page.locator('.part.thought .text').count()).toBeGreaterThan(0);
    await page.locator('.part.output .part-name').first().click();
    expect(await page.locator('.part.output .part-body').first().textContent()).not.toBe('');
  });

  it('adds up the diff so far, and ends with the patch', async () => {
    const good = at.sample.rows.find(
      ({ id, result }) => at.sample.kinds.get(id) === 'good' && result!.turns.total > 9,
    )!;
    const { turns } = await at.source.run(good.id);
    const edits = turns.filter(({ edit }) => edit);
    await open(here(good.id, `/turn/${edits.at(-1)!.turn}`));
    await page.waitForSelector('.so-far .row.added');
    const added = await page.locator('.so-far .row.added').count();
    await page.getByRole('link', { name: /^Patch/ }).click();
    await page.waitForSelector('.content .diff-file .row.added');
    expect(await page.locator('.content .diff-file .row.added').count()).toBe(added);
    expect(await page.locator('.tabs [aria-current]').textContent()).toBe(`Patch +${added} −${added}`);
  });

  it('shows tests that are missing first, and what was refused as no part of the trajectory', async () => {
    const wrong = kind('wrong');
    await open(here(wrong.id, '/tests'));
    await page.waitForSelector('.test-group');
    const first = page.locator('.test-group').first();
    expect(await first.locator('h2').textContent()).toContain('FAIL_TO_PASS 1/2');
    expect(await first.locator('li').first().getAttribute('class')).toBe('missing');
    let refused: { id: string; turn: number } | undefined;
    for (const { id, result } of at.sample.rows) {
      if (!result || refused) continue;
      const found = (await at.source.run(id)).turns.find((turn) => turn.refused.length > 0);
      if (found) refused = { id, turn: found.turn };
    }
    await open(here(refused!.id, `/turn/${refused!.turn}`));
    const text = await page.locator('.selected .part.refused').textContent();
    expect(text).toContain('no part of the trajectory');
    expect(text).toContain('I will just say what I think.');
  });

  it('shows the step as it is stored, and commands that reproduce it', async () => {
    await open(here(mixed.id, '/turn/2'));
    await page.waitForSelector('.selected .turn[data-turn="2"]');
    await page.getByRole('button', { name: 'Raw JSON' }).click();
    expect(await page.locator('dialog .raw').textContent()).toContain('"kind": "step"');
    await page.keyboard.press('Escape');
    await page.locator('.aside .commands summary').click();
    expect(await page.locator('.aside .commands code').allTextContents()).toContain(
      `pointsman rollout fork ${mixed.id} --step 2`,
    );
  });

  it('leaves hostile content inert, and shows it', async () => {
    const shown = new Set<string>();
    for (const { id, result } of at.sample.rows) {
      if (!result) continue;
      const { turns } = await at.source.run(id);
      if (!turns.some(({ action }) => action.kind === 'command' && action.text.head.startsWith('cat page-'))) continue;
      await open(here(id));
      await page.waitForSelector('.turn');
      for (const more of await page.locator('.part.output .more').all()) await more.click();
      for (const text of await page.locator('.part.output .text').allTextContents()) shown.add(text);
      expect(await page.locator('#viewer :is(script, img, svg, iframe, object, form[action])').count()).toBe(0);
      expect(await page.locator('#viewer a[href^="javascript:"]').count()).toBe(0);
    }
    const all = [...shown].join('\n');
    expect(all).toContain('<script>document.title = "owned"</script>');
    expect(all).toContain('\\u202e');
    expect(all).toContain('\\x1b]0;owned\\x07');
    expect(all).toContain(HOSTILE[7]!.slice(-2_000));
    expect(all).toContain('[click](javascript:alert(1))');
  });

  it.each(['light', 'dark'] as const)('has no serious finding of axe in %s', async (colorScheme) => {
    const { page: own, troubles } = await watchedPage(browser, serving.url, { colorScheme });
    for (const place of everyPlace()) {
      await own.goto('about:blank');
      await own.goto(place);
      await own.waitForSelector('main h1');
      await own.waitForTimeout(300);
      const findings = await axeFindings(own, colorScheme === 'dark' ? CONTRAST : undefined);
      expect({ place, findings }).toEqual({ place, findings: [] });
    }
    expect(said(troubles)).toEqual([NOT_FOUND]);
    await own.context().close();
  });

  it('has a place for everything on a phone', async () => {
    const { page: phone, troubles } = await watchedPage(browser, serving.url, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    for (const place of everyPlace()) {
      await phone.goto('about:blank');
      await phone.goto(place);
      await phone.waitForSelector('main h1');
      await phone.waitForTimeout(300);
      // What a line cuts short itself (`…`) is no trouble, what one has to scroll sideways for is.
      const outside = await phone.evaluate(`[...document.querySelectorAll('body *')]
        .filter((element) => !element.matches('.unseen, .skip') && !element.closest('.crumbs, .row-note'))
        .filter((element) => element.getBoundingClientRect().right > 391)
        .map((element) => element.outerHTML.slice(0, 80))`);
      expect({ place, outside, width: await phone.evaluate('document.documentElement.scrollWidth') }).toEqual({
        ...{ place, outside: [], width: 390 },
      });
      expect({ place, findings: await axeFindings(phone) }).toEqual({ place, findings: [] });
    }
    // What is known of a turn stands below it, and the turn that the address names is in view.
    await phone.goto(here(mixed.id, '/turn/4'));
    await phone.waitForSelector('.selected .turn[data-turn="4"]');
    await phone.waitForSelector('.selected .aside .so-far :is(.diff, .note)');
    const top = async () => (await phone.locator('.selected .turn').boundingBox())!.y;
    expect(await top()).toBeLessThan(200);
    expect(await top()).toBeGreaterThanOrEqual(44);
    // Choosing another does not move it away.
    const next = phone.locator('.turn[data-turn="5"] h3');
    await next.scrollIntoViewIfNeeded();
    const before = (await next.boundingBox())!.y;
    await next.click();
    await phone.waitForSelector('.selected .turn[data-turn="5"]');
    expect(Math.abs((await next.boundingBox())!.y - before)).toBeLessThan(3);
    expect(said(troubles)).toEqual([NOT_FOUND]);
    await phone.context().close();
  });

  it('is all within reach of a keyboard', async () => {
    for (const place of everyPlace()) {
      await open(place);
      await page.waitForSelector('main h1');
      await page.waitForTimeout(300);
      const wanted = Number(
        await page.evaluate(`(() => {
          window.met = new Set();
          window.covered = [];
          document.addEventListener('focusin', ({ target }) => {
            window.met.add(target);
            const { left, top, width, height } = target.getBoundingClientRect();
            const over = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 10));
            if (!over || !(target.contains(over) || over.contains(target))) window.covered.push(target.outerHTML.slice(0, 80));
          });
          const all = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
          window.all = [...document.querySelectorAll(all)].filter((each) => each.checkVisibility());
          return window.all.length;
        })()`),
      );
      for (let pressed = 0; pressed < wanted + 5; pressed++) await page.keyboard.press('Tab');
      for (let pressed = 0; pressed < 20; pressed++) await page.keyboard.press('Shift+Tab');
      const missed = await page.evaluate(
        'window.all.filter((each) => !window.met.has(each)).map((each) => each.outerHTML.slice(0, 80))',
      );
      expect({ place, missed, covered: await page.evaluate('window.covered') }).toEqual({
        ...{ place, missed: [], covered: [] },
      });
    }
    expect(said(watched.troubles)).toEqual([NOT_FOUND]);
    // By keyboard alone from the list to two runs side by side.
    await open(serving.url);
    await page.waitForSelector('.runs tbody tr[data-index]');
    await page.getByRole('button', { name: 'Verdict' }).focus();
    for (let pressed = 0; pressed < 9; pressed++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.run-screen');
    await page.getByRole('link', { name: /^Related runs/ }).focus();
    await page.keyboard.press('Enter');
    await page
      .getByRole('link', { name: /^Side by side/ })
      .first()
      .focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.pair-row');
  }, 240_000);

  it('follows a run that grows', async () => {
    const full = await at.source.run(mixed.id);
    let seen = 3;
    const growing = servedFrom({
      run: async () => {
        const live = seen < full.turns.length;
        const line = live ? { ...full.line, status: 'running', resolved: null } : full.line;
        return { ...full, line, live, phase: live ? 'Student' : null, turns: full.turns.slice(0, seen) };
      },
    });
    const { url, close } = await serveViewer(growing, { port: 0, host: '127.0.0.1', title: 'live' });
    await open(`${url}#/run/${encodeURIComponent(mixed.id)}`);
    await page.waitForSelector('.turn');
    expect(await page.locator('.turn').count()).toBe(3);
    expect(await page.locator('.lede').textContent()).toMatch(/^Running \(student\): 3 turns so far/);
    seen = 5;
    await page.waitForSelector('.turn[data-turn="5"]');
    expect(await page.locator('.badge.live').count()).toBe(1);
    // Who looks at an older turn is not taken away from it.
    await page.locator('.turn[data-turn="2"] h3').click();
    seen = full.turns.length;
    await page.waitForSelector('.title-line .badge:not(.live)');
    await page.waitForSelector('.selected .turn[data-turn="2"]');
    expect(await page.locator('.turn').count()).toBe(full.turns.length);
    await close();
    watched.troubles.splice(0);
  });

  it('shows where runs that share steps part', async () => {
    const other = at.sample.rows.find(({ id, result }) => result && id !== mixed.id)!.id;
    const forks = {
      ...{ from: 1, to: 3, runs: [] },
      children: [
        { from: 4, to: 9, runs: [mixed.id], children: [] },
        { from: 4, to: 6, runs: [other], children: [] },
      ],
    };
    const { url, close } = await serveViewer(servedFrom({ forks: async () => forks }), {
      port: 0,
      host: '127.0.0.1',
      title: 'forks',
    });
    await open(`${url}#/run/${encodeURIComponent(mixed.id)}/family`);
    await page.waitForSelector('.tree');
    const leaves = page.locator('.tree li:not(:has(li))');
    const told = await leaves.allTextContents();
    expect(told[0]).toMatch(/^turns 4–9 this run/);
    expect(told[1]).toContain(`turns 4–6 ${other}`);
    expect(await page.locator('.tree > li > .stretch').textContent()).toBe('turns 1–3');
    // Each with its k and its verdict.
    expect(told[0]).toContain(mixed.result!.resolved ? '✓ resolved' : '✗ not resolved');
    expect(told[0]).toContain(`k = ${mixed.result!.handOver.sampled}`);
    await page.getByRole('link', { name: other, exact: true }).click();
    await page.waitForSelector('.selected .turn');
    expect(page.url()).toContain(encodeURIComponent(other));
    await close();
    watched.troubles.splice(0);
  });

  it('sets two policies of one problem side by side, from the page of either', async () => {
    const other = otherOf(mixed);
    await open(here(mixed.id, '/family'));
    const same = at.sample.rows.filter(({ instance, id }) => instance === mixed.instance && id !== mixed.id);
    await page.getByRole('link', { name: `Related runs (${same.length})` }).waitFor();
    await page.getByRole('link', { name: `Side by side with ${other.id}`, exact: true }).click();
    await page.waitForSelector('.pair-row.apart');
    expect(new URL(page.url()).hash).toBe(`#/compare/${encodeURIComponent(mixed.id)}/${encodeURIComponent(other.id)}`);
    const [left, right] = [mixed.result!.turns.total, other.result!.turns.total];
    expect(await page.locator('.pair-row').count()).toBe(Math.max(left, right));
    expect(await page.locator('.pair-row .half:first-child .turn').count()).toBe(left);
    expect(await page.locator('.pair-row .half:nth-child(2) .turn').count()).toBe(right);
    expect(await page.locator('.ended').count()).toBe(left === right ? 0 : 1);
    for (const row of await page.locator('.pair-row:nth-of-type(-n+9)').all()) {
      const turns = await row
        .locator('.turn')
        .evaluateAll((cards) => cards.map((card) => card.getAttribute('data-turn')));
      expect(new Set(turns).size).toBeLessThanOrEqual(1);
    }
    // Side by side, and not one above the other.
    const [one, two] = await page.locator('.pair-row').first().locator('.turn').all();
    const [a, b] = [await one!.boundingBox(), await two!.boundingBox()];
    expect(b!.x).toBeGreaterThan(a!.x + a!.width - 1);
    expect(await page.locator('.lede').textContent()).toContain('They share no step');
    const figures = (name: string) => page.locator('.pair-facts tr', { hasText: name }).locator('td').allTextContents();
    expect(await figures('Turns')).toEqual([String(left), String(right)]);
    expect(await figures('Verdict')).toEqual(
      [mixed, other].map(({ result }) => (result!.resolved ? '✓ resolved' : '✗ not resolved')),
    );
    await page.keyboard.press('j');
    await page.waitForURL(({ hash }) => hash.endsWith('/turn/2'));
    expect(await page.locator('.pair-row.here').getAttribute('data-index')).toBe('1');
    await page.keyboard.press('o');
    await page.locator('.part.output .text').first().waitFor({ state: 'detached' });
  });

  it('shows the steps that a fork kept once, and where it parts', async () => {
    const full = await at.source.run(mixed.id);
    const forked = `${mixed.id}-fork`;
    const turns = full.turns.slice(0, 6).map((turn) => (turn.turn <= 4 ? turn : { ...turn, hash: `f${turn.hash}` }));
    const fork = { ...full, line: { ...full.line, id: forked }, turns };
    const shown = servedFrom({ run: async (id) => (id === forked ? fork : at.source.run(id)) });
    const { url, close } = await serveViewer(shown, { port: 0, host: '127.0.0.1', title: 'fork' });
    await open(`${url}#/compare/${encodeURIComponent(mixed.id)}/${encodeURIComponent(forked)}/turn/3`);
    await page.waitForSelector('.pair-row.here[data-index="2"]');
    expect(await page.locator('.pair-row.shared').count()).toBe(4);
    expect(await page.locator('.pair-row.shared .turn').count()).toBe(4);
    expect(await page.locator('.pair-row.apart .turn').count()).toBe(full.turns.length - 4 + 2);
    expect(await page.locator('.lede').textContent()).toContain(
      'share the first 4 turns, shown once; they part at turn 5',
    );
    await page.keyboard.press('x');
    const next =
      mixed.result!.turns.student < 4 && mixed.result!.turns.student >= 3 ? mixed.result!.turns.student + 1 : 5;
    await page.waitForURL(({ hash }) => hash.endsWith(`/turn/${next}`));
    await close();
    watched.troubles.splice(0);
  });

  it('shows a set-up with its snapshots as a tree, and what was rolled back', async () => {
    const { heads, result } = await writeSetup(join(at.home, 'blobs'));
    const { steps } = await loadSetupSteps(at.cli, heads.agent);
    const line = {
      ...unknownLine('setup/toy-1'),
      kind: 'setup' as const,
      instance: result.source,
      status: result.status,
    };
    const facts = {
      line,
      live: false,
      phase: null,
      policy: null,
      head: heads.agent,
      trouble: null,
      refused: [],
      links: [],
      training: null,
      workspace: null,
    };
    const turns = steps.map((step) => setupTurnView(step, 4_000));
    const shown = servedFrom({ run: async () => setupPage(facts, turns, result.frames, result.units) });
    const { url, close } = await serveViewer(shown, { port: 0, host: '127.0.0.1', title: 'setup' });
    await open(`${url}#/run/setup%2Ftoy-1`);
    await page.waitForSelector('.turn');
    expect(await page.locator('.turn.undone').count()).toBe(steps.filter(({ undoneBy }) => undoneBy !== null).length);
    expect(await page.locator('.lede').textContent()).toBe(
      'The set-up ended verified after 7 turns. Snapshots took 1 turn back.',
    );
    await page.getByRole('link', { name: 'Snapshots (4)' }).click();
    await page.waitForSelector('.frame');
    expect(await page.locator('.frame').count()).toBe(4);
    expect(await page.locator('.tree .branch .frame.dropped').first().textContent()).toContain('before turn 2');
    expect(await page.locator('.trial').textContent()).toContain('failure, rolled back');
    await close();
    watched.troubles.splice(0);
  });

  it('has only what is near the window in the page, however long the run, and finds any turn of it', async () => {
    const long = await sampleSource({ rollouts: 1, steps: [1_500, 1_500], kinds: ['good'], campaign: 'campaign/long' });
    const { url, close } = await serveViewer(long.source, { port: 0, host: '127.0.0.1', title: 'long' });
    const run = `${url}#/run/${encodeURIComponent(long.sample.rows[0]!.id)}`;
    for (const turn of [700, 1_500, 2]) {
      await open(`${run}/turn/${turn}`);
      await page.waitForSelector(`.selected .turn[data-turn="${turn}"]`);
      const box = await page.locator('.selected .turn').boundingBox();
      expect(box!.y).toBeGreaterThanOrEqual(0);
      expect(box!.y).toBeLessThan(900);
      expect(await page.locator('.turn').count()).toBeLessThan(60);
    }
    // What is in view stays where it is while heights above it are learned.
    await page.mouse.wheel(0, 6_000);
    // Not `waitForFunction`: it asks again by evaluating a string, which the page's policy forbids.
    for (let tries = 0; tries < 100 && Number(await page.evaluate('scrollY')) < 4_000; tries++)
      await page.waitForTimeout(50);
    expect(Number(await page.evaluate('scrollY'))).toBeGreaterThan(4_000);
    await page.keyboard.press('G');
    await page.waitForSelector('.selected .turn[data-turn="1500"]');
    await page.keyboard.press('k');
    await page.waitForSelector('.selected .turn[data-turn="1499"]');
    expect((await page.locator('.selected .turn').boundingBox())!.y).toBeGreaterThanOrEqual(0);
    await close();
    long.remove();
    watched.troubles.splice(0);
    process.env.POINTSMAN_HOME = at.home;
  });

  it('is one file without a server, with the same pages', async () => {
    const file = join(at.home, 'export.html');
    const exported = await exportViewer(at.source, file, { title: 'sample', limit: 64 * 1024 * 1024 });
    expect(exported).toMatchObject({ runs: 48, bytes: statSync(file).size, cut: 0 });
    // All of it is read before the first row is drawn.
    const plain = readFileSync(file, 'utf8').matchAll(
      /<script type="application\/json" data-name="run:\d+">(.*?)<\/script>/gs,
    );
    expect([...plain].filter(([, json]) => json!.length > 4 * 1024)).toEqual([]);
    const address = pathToFileURL(file).href;
    const { page: own, troubles } = await watchedPage(browser, address);
    await own.goto(`${address}#/run/${encodeURIComponent(mixed.id)}/turn/3`);
    await own.waitForSelector('.selected .turn[data-turn="3"]');
    expect(await own.locator('.turn').count()).toBe(mixed.result!.turns.total);
    await own.getByRole('button', { name: 'Raw JSON' }).click();
    expect(await own.locator('dialog .raw').textContent()).toContain('"kind": "step"');
    await own.keyboard.press('Escape');
    await own.keyboard.press('Escape');
    await own.waitForSelector('.runs tbody tr[data-index]');
    for (const { id, result } of at.sample.rows) {
      await own.goto(`${address}#/run/${encodeURIComponent(id)}`);
      await own.waitForSelector('.lede, .failure');
      if (result) expect(await own.locator('.lede').textContent()).not.toBe('');
    }
    // Two at once: the bodies of both are found.
    const other = otherOf(mixed).id;
    await own.goto(`${address}#/compare/${encodeURIComponent(mixed.id)}/${encodeURIComponent(other)}`);
    await own.waitForSelector('.pair-row.apart');
    expect(await own.locator('.pair-row .half:nth-child(2) .turn').count()).toBe(otherOf(mixed).result!.turns.total);
    expect(troubles).toEqual([]);
    expect(await own.title()).not.toBe('owned');
    await own.context().close();
  });

  it('says what an export does not hold', async () => {
    const file = join(at.home, 'small.html');
    const exported = await exportViewer(at.source, file, { title: 'small', limit: 0 });
    expect(exported.whole).toBe(0);
    expect(exported.cut).toBeGreaterThan(0);
    const address = pathToFileURL(file).href;
    const { page: own } = await watchedPage(browser, address);
    await own.goto(`${address}#/run/${encodeURIComponent(mixed.id)}/turn/3`);
    await own.waitForSelector('.selected .turn[data-turn="3"]');
    await own.getByRole('button', { name: 'Raw JSON' }).click();
    expect(await own.locator('dialog .raw').textContent()).toContain('does not hold the step');
    await own.context().close();
  });
});
