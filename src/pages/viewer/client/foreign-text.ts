import { count } from '../../figures';
import type { Clip } from '../payload';
import { type Look, type TextRun, textRuns } from '../text-runs';
import type { PageData } from './data';
import { button, type Child, el, replace } from './dom';

export interface Folding {
  /** Lines that are shown of a long text, from its start and from its end. */
  readonly head: number;
  readonly tail: number;
}

/** Characters a line may have before it is folded as if it were many. */
const LINE_CHARS = 120;
/** Characters shown at once of a whole text: a browser lays out more than this only slowly. */
const PIECE = 200_000;

/** Text that somebody else wrote, with what a terminal would do to it shown and not done. */
export function foreign(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  for (const run of textRuns(text)) fragment.appendChild(nodeOf(run));
  return fragment;
}

/** The same in a line of a heading or a cell. */
export function foreignLine(text: string): DocumentFragment {
  return foreign(text.replaceAll('\n', '⏎').replaceAll('\t', ' '));
}

function nodeOf({ text, look, unseen }: TextRun): Node {
  const classes = [...lookClasses(look), ...(unseen ? ['unseen-character'] : [])];
  return classes.length === 0 ? document.createTextNode(text) : el('span', { class: classes.join(' ') }, text);
}

function lookClasses({ ink, ground, ...flags }: Look): string[] {
  return [
    ...Object.entries(flags).flatMap(([name, on]) => (on ? [`look-${name}`] : [])),
    ...(ink === undefined ? [] : [`ink-${ink}`]),
    ...(ground === undefined ? [] : [`ground-${ground}`]),
  ];
}

/**
 * A text with its middle folded away, and the way to all of it. `whole` finds the text where the clip is not all;
 * undefined means that this page does not hold it.
 */
export function folded(
  clip: Clip,
  folding: Folding,
  data: PageData,
  whole: () => Promise<string | undefined>,
): HTMLElement {
  const body = el('pre', { class: 'text' });
  const box = el('div', { class: 'folded' }, body);
  const address = clip.blob ? data.address(clip.blob) : undefined;
  const shut = () => {
    const { head, tail, hidden } = ends(clip, folding);
    body.removeAttribute('data-open');
    replace(body, foreign(head));
    box.replaceChildren(body);
    if (hidden === '') return;
    const open = async () => {
      const text = clip.hidden === 0 ? clip.head : await whole();
      if (text !== undefined) return unfold(text);
      box.append(el('p', { class: 'note' }, `${count(clip.hidden, 'character')} are not in this file.`));
    };
    box.append(button(`Show all: ${hidden} more`, () => void open(), { class: 'more' }));
    if (tail !== '') box.append(el('pre', { class: 'text tail' }, foreign(tail)));
  };
  const unfold = (text: string) => {
    body.setAttribute('data-open', '');
    replace(body, foreign(text.slice(0, PIECE)));
    box.replaceChildren(body, ...rest(text, body, address), button('Show less', shut, { class: 'more' }));
  };
  shut();
  return box;
}

/** Buttons that go on with a text that is longer than a piece. */
function rest(text: string, body: HTMLElement, address: string | undefined): HTMLElement[] {
  if (text.length <= PIECE) return [];
  let at = PIECE;
  const more = button(
    '',
    () => {
      body.append(foreign(text.slice(at, at + PIECE)));
      at += PIECE;
      if (at >= text.length) more.remove();
      else label();
    },
    { class: 'more' },
  );
  const label = () => replace(more, `Show more: ${count(text.length - at, 'character')} left`);
  label();
  const link: Child = address
    ? el('a', { href: new URL(address, location.href).href, target: '_blank' }, 'Open all of it as text')
    : null;
  return link instanceof HTMLElement ? [more, link] : [more];
}

/** What is shown of a text while it is folded; `hidden` says how much is not, in words, and nothing where all is. */
function ends(clip: Clip, { head, tail }: Folding): { head: string; tail: string; hidden: string } {
  const lines = clip.head.split('\n');
  const chars = (head + tail) * LINE_CHARS;
  const last = clip.hidden === 0 ? clip.head : clip.tail;
  const fits = lines.length <= head + tail + 1 && clip.head.length <= chars;
  if (clip.hidden === 0 && fits) return { head: clip.head.replace(/\n$/, ''), tail: '', hidden: '' };
  const shownHead = lines
    .slice(0, head)
    .join('\n')
    .slice(0, head * LINE_CHARS);
  const tailLines = tail === 0 ? [] : last.replace(/\n$/, '').split('\n').slice(-tail);
  const room = clip.hidden === 0 ? clip.head.length - shownHead.length : last.length;
  const shownTail = tailLines.join('\n').slice(-Math.min(Math.max(1, tail) * LINE_CHARS, Math.max(0, room)));
  const gone = lines.length - head - tail;
  const hidden =
    clip.hidden > 0
      ? count(clip.hidden + clip.head.length + clip.tail.length - shownHead.length - shownTail.length, 'character')
      : gone > 0
        ? count(gone, 'line')
        : count(clip.head.length - shownHead.length - shownTail.length, 'character');
  return { head: shownHead, tail: tail === 0 ? '' : shownTail, hidden };
}
