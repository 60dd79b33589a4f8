import { count, dollars, duration, grouped } from '../../figures';
import { type Command, commandsOf } from '../commands';
import { costByTurn } from '../cost-by-turn';
import { diffSoFar, type FileSoFar } from '../diff-so-far';
import { type DiffFile, diffFile } from '../line-diff';
import type { RunEvents, RunPage, TurnView } from '../payload';
import { copy, copyButton } from './clipboard';
import type { PageData } from './data';
import { diffFiles } from './diff-view';
import { button, type Child, el, replace } from './dom';
import { foreignLine } from './foreign-text';
import { showJson } from './raw';
import { author, facts, money } from './words';

/** Bytes of a file that is compared line by line in the page. */
const COMPARED = 2_000_000;

/** What is known of the selected turn besides what it says: figures, commands, events, and the work so far. */
export class Aside {
  readonly element = el('aside', { class: 'aside', aria: { label: 'The selected turn' } });
  private asked = 0;
  /** USD of all turns until one, by its number. */
  private readonly spent: ReadonlyMap<number, number>;

  constructor(
    private readonly page: RunPage,
    private readonly data: PageData,
    private readonly events: Promise<RunEvents>,
  ) {
    this.spent = new Map(costByTurn(page.turns).map(({ turn, usdSoFar }) => [turn, usdSoFar]));
  }

  show(turn: TurnView): void {
    const { page, data } = this;
    const diff = el('div', { class: 'so-far' });
    const links = el('div', { class: 'event-links' });
    replace(
      this.element,
      el('h2', { class: 'aside-title' }, author(turn.who), ` turn ${turn.turn} of ${page.turns.length}`),
      facts(turnFacts(turn, this.spent.get(turn.turn) ?? null, page.line.kind === 'rollout')),
      el(
        'div',
        { class: 'tools' },
        button('Raw JSON', () => void showJson(`Turn ${turn.turn}: the step as it is stored`, data, turn.hash)),
        button('Copy link', () => void copy(location.href)),
      ),
      commandList(commandsOf(page, turn.turn)),
      links,
      page.line.kind === 'rollout' ? [el('h3', {}, 'Diff so far'), diff] : null,
    );
    const mine = ++this.asked;
    const current = () => mine === this.asked;
    void this.events.then((events) => current() && replace(links, eventLinks(events, turn.turn)));
    void this.soFar(turn.turn).then((body) => current() && replace(diff, body));
  }

  private async soFar(turn: number): Promise<Child> {
    const { files, unseen, unknown } = diffSoFar(this.page.turns, turn);
    const read = await Promise.all(files.map((file) => this.compare(file)));
    const between = files.filter(({ touchedBetween }) => touchedBetween);
    return [
      files.length === 0 ? el('p', { class: 'note' }, 'No file was edited so far.') : diffFiles(read),
      between.length > 0
        ? el(
            'p',
            { class: 'note warn-note' },
            'Between two edits something else changed ',
            listed(between.map(({ path }) => path)),
            '; the difference holds that as well.',
          )
        : null,
      unseen.length > 0
        ? el(
            'p',
            { class: 'note warn-note' },
            `Commands changed files unseen in ${unseen.length === 1 ? 'turn' : 'turns'} ${some(unseen)}: that is in the final patch, not here.`,
          )
        : null,
      unknown
        ? el(
            'p',
            { class: 'note' },
            'What commands changed is not known: the state of the work directory was not recorded with every step.',
          )
        : null,
    ];
  }

  private async compare({ path, before, after }: FileSoFar): Promise<DiffFile> {
    const without = (note: string): DiffFile => ({ ...diffFile(path, '', ''), note });
    if ((before?.bytes ?? 0) > COMPARED || (after?.bytes ?? 0) > COMPARED) return without('too large to compare here');
    const text = async (ref: FileSoFar['before']) =>
      ref === null ? null : this.data.blob(ref.sha256).catch(() => undefined);
    const [old, now] = await Promise.all([text(before), text(after)]);
    if (old === undefined || now === undefined) return without('the contents of this file are not at hand');
    if (old?.includes('\0') || now?.includes('\0')) return without('binary');
    return diffFile(path, old, now);
  }
}

function turnFacts(turn: TurnView, soFar: number | null, trainable: boolean): readonly (readonly [string, Child])[] {
  const { usage, durationMs } = turn;
  const cached = usage.cachedTokens > 0 ? ` (${grouped(usage.cachedTokens)} cached)` : '';
  return [
    ['Model', foreignLine(turn.model ?? turn.profile)],
    ...(durationMs === null ? [] : [['Action took', duration(durationMs)] as const]),
    ...(usage.promptTokens + usage.completionTokens === 0
      ? []
      : [
          ['Prompt', `${count(usage.promptTokens, 'token')}${cached}`] as const,
          ['Reply', count(usage.completionTokens, 'token')] as const,
          ['Cost', dollars(usage.costUsd)] as const,
          ['Cost so far', money(soFar)] as const,
        ]),
    ...(turn.redone > 0 ? [['Redone', `${turn.redone}×, to rebuild a lost sandbox`] as const] : []),
    ['Output', count(turn.bytes, 'byte')],
    ...(trainable
      ? [['In training', turn.trained ? 'loss is taken on this turn' : 'part of the context only'] as const]
      : []),
    ['Step', hashFact(turn.hash, 'hash of the step')],
  ];
}

/** A hash as far as it tells things apart, and the way to all of it. */
export function hashFact(hash: string, label: string): Child {
  return [el('code', { class: 'hash', title: hash }, hash.slice(0, 16)), ' ', copyButton(hash, label)];
}

export function commandList(commands: readonly Command[]): HTMLElement {
  return el(
    'details',
    { class: 'commands' },
    el('summary', {}, 'Commands that reproduce this'),
    commands.map(({ label, text }) =>
      el(
        'div',
        { class: 'command-line' },
        el('span', { class: 'note' }, label),
        el('code', {}, foreignLine(text)),
        copyButton(text, label),
      ),
    ),
  );
}

function eventLinks({ history, turns }: RunEvents, turn: number): Child {
  const found = turns[turn];
  if (!found) return null;
  const entries = Object.entries({
    'model asked': found.asked,
    'model answered': found.answered,
    'action done': found.done,
  }).filter(([, id]) => id !== null);
  if (entries.length === 0) return null;
  return el(
    'p',
    { class: 'note' },
    'Events in the workflow’s history: ',
    entries.map(([name, id], at) => {
      const label = `${name} (${id})`;
      return [
        at === 0 ? null : ', ',
        history ? el('a', { href: `${history}/events/${id}`, target: '_blank' }, label) : label,
      ];
    }),
  );
}

function listed(paths: readonly string[]): Child {
  return paths.flatMap((path, at) => [at === 0 ? '' : ', ', el('code', {}, foreignLine(path))]);
}

/** The first few of many numbers. */
function some(numbers: readonly number[]): string {
  return numbers.length <= 8 ? numbers.join(', ') : `${numbers.slice(0, 8).join(', ')} and ${numbers.length - 8} more`;
}
