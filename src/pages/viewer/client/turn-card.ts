import type { SetupStep, Step } from '../../../contract';
import { replyText } from '../../../rollout/summary';
import { count, dollars, duration } from '../../figures';
import { actionView, moveView } from '../action-view';
import { diffLines } from '../line-diff';
import type { ActionView, Clip, RefusedView, TurnView } from '../payload';
import type { PageData } from './data';
import { diffRows } from './diff-view';
import { button, type Child, el } from './dom';
import { folded, foreignLine } from './foreign-text';
import { failed } from './strip';
import { author } from './words';

const REASONING = { head: 4, tail: 0 };
const THOUGHT = { head: 14, tail: 0 };
const COMMAND = { head: 16, tail: 4 };
const OUTPUT = { head: 10, tail: 5 };
const REFUSED = { head: 6, tail: 0 };

/** What is folded away in every turn. */
export interface Folds {
  readonly thought: boolean;
  readonly action: boolean;
  readonly output: boolean;
}

/** Buttons that fold a part away in every turn, and bring it back. */
export function foldButtons(folds: Folds, fold: (part: keyof Folds) => void): HTMLElement {
  const one = (part: keyof Folds, label: string) =>
    button(label, () => fold(part), {
      aria: { pressed: !folds[part] },
      title: 'Fold or unfold in every turn',
    });
  return el(
    'div',
    { class: 'fold-buttons', role: 'group', aria: { label: 'Shown of every turn' } },
    one('thought', 'Thoughts'),
    one('action', 'Actions'),
    one('output', 'Outputs'),
  );
}

interface CardContext {
  readonly data: PageData;
  readonly workdir: string;
  readonly folds: Folds;
  readonly select: (turn: number) => void;
}

/** One turn: who, what was thought, what was done, what came back. `before` is who made the turn before it. */
export function turnCard(turn: TurnView, before: TurnView['who'] | undefined, context: CardContext): HTMLElement {
  const { data, folds } = context;
  const whole = wholeOf(turn, data);
  const handOver = before !== undefined && before !== turn.who;
  const card = el(
    'article',
    {
      class: ['turn', turn.who, turn.trained ? 'trained' : '', turn.undoneBy === null ? '' : 'undone'].join(' '),
      aria: { label: `Turn ${turn.turn}, ${turn.who}${turn.trained ? ', trained' : ''}` },
      data: { turn: turn.turn },
      on: { click: (event) => keepSelection(event) || context.select(turn.turn) },
    },
    headOf(turn),
    turn.refused.map((refused, at) => refusedPart(refused, at + 1, data, whole)),
    el(
      'div',
      { class: turn.trained ? 'said trained-part' : 'said' },
      turn.reasoning.head === ''
        ? null
        : part('Reasoning', folds.thought, () =>
            el(
              'div',
              { class: 'prose note' },
              folded(turn.reasoning, REASONING, data, async () => (await whole()).reasoning),
            ),
          ),
      turn.thought.head === ''
        ? null
        : part('Thought', folds.thought, () =>
            el(
              'div',
              { class: 'prose' },
              folded(turn.thought, THOUGHT, data, async () => (await whole()).thought),
            ),
          ),
      part('Action', folds.action, () => actionBody(turn.action, context, async () => (await whole()).action)),
    ),
    part('Output', folds.output, () => outputBody(turn, data)),
    turn.notes.length > 0
      ? part('Around', false, () =>
          el(
            'ul',
            { class: 'notes' },
            turn.notes.map((note) => el('li', {}, foreignLine(note))),
          ),
        )
      : null,
  );
  return el('div', { class: 'item' }, handOver ? handOverRule(turn, before) : null, card);
}

/** A click that ends a selection of text is no click on the card. */
function keepSelection(event: Event): boolean {
  return (event.target as Element).closest('button, a') !== null || String(getSelection() ?? '') !== '';
}

function handOverRule({ who, turn }: TurnView, before: TurnView['who']): HTMLElement {
  return el(
    'div',
    {
      class: `hand-over ${who}`,
      role: 'separator',
      aria: { label: `Hand-over from ${before} to ${who} before turn ${turn}` },
    },
    el('span', {}, `Hand-over after turn ${turn - 1}: the ${who} takes over`),
  );
}

function headOf(turn: TurnView): HTMLElement {
  const { usage, exitCode, timedOutAfter } = turn;
  const tokens = usage.promptTokens + usage.completionTokens;
  const ended =
    timedOutAfter !== null ? `killed after ${timedOutAfter} s` : exitCode === null ? '' : `exit ${exitCode}`;
  const facts: Child[] = [
    ended === '' ? null : el('span', { class: failed(turn) ? 'bad' : '' }, ended),
    turn.durationMs === null ? null : duration(turn.durationMs),
    turn.redone > 0 ? `redone ×${turn.redone}` : null,
    tokens > 0 ? count(tokens, 'token') : null,
    usage.costUsd > 0 ? dollars(usage.costUsd) : null,
  ].filter((fact) => fact !== null);
  return el(
    'header',
    { class: 'turn-head' },
    el('h3', {}, author(turn.who), el('span', { class: 'turn-number' }, `turn ${turn.turn}`)),
    el('span', { class: 'profile' }, foreignLine(turn.profile)),
    turn.person === undefined
      ? null
      : el('span', { class: 'chip', title: 'A person made this turn' }, 'person: ', foreignLine(turn.person)),
    turn.agent === undefined
      ? null
      : el('span', { class: 'chip', title: 'An agent of another system made this turn' }, foreignLine(turn.agent)),
    turn.trained
      ? el(
          'span',
          { class: 'chip trained-chip', title: 'Loss is taken on this turn when the trajectory is trained on' },
          'trained',
        )
      : null,
    turn.unfaithful
      ? el(
          'span',
          { class: 'chip warn', title: 'The training dialect cannot write this turn so that it reads back the same' },
          'unfaithful',
        )
      : null,
    turn.lenient.length > 0
      ? el('span', { class: 'chip', title: 'Not as the format has it, and read all the same' }, turn.lenient.join(', '))
      : null,
    turn.unseen
      ? el(
          'span',
          { class: 'chip', title: 'The command changed files; the diff so far does not hold that' },
          'changed files',
        )
      : null,
    turn.undoneBy === null ? null : el('span', { class: 'chip' }, `undone by turn ${turn.undoneBy}`),
    turn.undoes.length === 0 ? null : el('span', { class: 'chip warn' }, `undoes turn ${turn.undoes.join(', ')}`),
    el(
      'span',
      { class: 'turn-facts' },
      facts.flatMap((fact, at) => (at === 0 ? [fact] : [' · ', fact])),
    ),
  );
}

/** A part with its name in the margin; the name folds it. */
function part(name: string, shut: boolean, make: () => HTMLElement, kind = name.toLowerCase()): HTMLElement {
  const body = el('div', { class: 'part-body' });
  const fold = button(name, () => set(body.childElementCount > 0), { class: 'part-name' });
  const set = (close: boolean) => {
    if (close) body.replaceChildren();
    else body.replaceChildren(make());
    fold.setAttribute('aria-expanded', String(!close));
  };
  set(shut);
  return el('section', { class: `part ${kind}`, aria: { label: name } }, fold, body);
}

/** A reply that could not be read. `whole` reads the step that holds all of it, where one does. */
export function refusedPart(
  { author: who, code, reply, told }: RefusedView,
  which: number,
  data: PageData,
  whole?: () => Promise<WholeStep>,
): HTMLElement {
  const all = async () => (await whole?.())?.refused[which - 1];
  return part(
    'Refused',
    false,
    () =>
      el(
        'div',
        { class: 'refused-body' },
        el(
          'p',
          { class: 'note' },
          `Reply ${which}${who ? ` of the ${who}` : ''} could not be read (${code.replaceAll('_', ' ')}). It is no part of the trajectory.`,
        ),
        folded(reply, REFUSED, data, async () => (await all())?.reply),
        el('p', { class: 'note' }, 'The model was told:'),
        folded(told, REFUSED, data, async () => (await all())?.told),
      ),
    'refused',
  );
}

function actionBody(action: ActionView, context: CardContext, whole: () => Promise<ActionView>): HTMLElement {
  const { data } = context;
  switch (action.kind) {
    case 'command':
      return el(
        'div',
        { class: 'command' },
        folded(action.text, COMMAND, data, async () => textIn(await whole(), 'text')),
      );
    case 'submit':
      return el('p', { class: 'submit' }, '⇒ submits its work');
    case 'call':
      return el(
        'div',
        {},
        el('p', { class: 'edit-head' }, el('b', {}, foreignLine(action.name))),
        action.text.head === '' ? null : folded(action.text, COMMAND, data, async () => textIn(await whole(), 'text')),
      );
    case 'edit':
      return editBody(action, data, whole);
    default:
      return action satisfies never;
  }
}

function editBody(
  action: ActionView & { kind: 'edit' },
  data: PageData,
  whole: () => Promise<ActionView>,
): HTMLElement {
  const { verb, path, place, removed, added } = action;
  const head = el(
    'p',
    { class: 'edit-head' },
    el('b', {}, foreignLine(verb.replaceAll('_', ' '))),
    ' ',
    el('code', {}, foreignLine(path)),
    place === '' ? null : ` ${place}`,
  );
  if (removed?.hidden || added?.hidden) {
    const side = (sign: string, name: 'removed' | 'added', text: Clip | null) =>
      text === null
        ? null
        : el(
            'div',
            { class: `side ${name}` },
            el('span', { class: 'sign' }, sign),
            folded(text, COMMAND, data, async () => textIn(await whole(), name)),
          );
    return el('div', {}, head, side('−', 'removed', removed), side('+', 'added', added));
  }
  if (removed === null && added === null) return el('div', {}, head);
  return el('div', {}, head, diffRows(diffLines(removed?.head ?? '', added?.head ?? ''), false));
}

function outputBody(turn: TurnView, data: PageData): HTMLElement {
  const { observation, elidedBytes, bytes } = turn;
  if (observation.head === '') return el('p', { class: 'note' }, '(no output)');
  const { blob } = observation;
  return el(
    'div',
    {},
    folded(observation, OUTPUT, data, async () => (blob ? data.blob(blob) : undefined)),
    elidedBytes > 0
      ? el(
          'p',
          { class: 'note' },
          `${count(elidedBytes, 'byte')} between head and tail were over the sandbox’s output cap of this step; ${count(bytes, 'byte')} are kept.`,
        )
      : null,
  );
}

interface WholeStep {
  readonly reasoning: string | undefined;
  readonly thought: string | undefined;
  readonly action: ActionView;
  readonly refused: readonly { readonly reply: string; readonly told: string }[];
}

/** The step's own blob, read once, for the parts of it that were cut. */
function wholeOf(turn: TurnView, data: PageData): () => Promise<WholeStep> {
  let read: Promise<WholeStep> | undefined;
  return () => {
    read ??= data.blob(turn.hash).then((text) => {
      if (text === undefined) return { reasoning: undefined, thought: undefined, action: turn.action, refused: [] };
      const step = JSON.parse(text) as Step | SetupStep;
      const everything = Number.POSITIVE_INFINITY;
      return {
        reasoning: step.kind === 'step' ? step.turn.reasoning : undefined,
        thought: step.kind === 'step' ? step.turn.thought : String(step.turn.move.thought ?? ''),
        action: step.kind === 'step' ? actionView(step.turn.action, everything) : moveView(step.turn.move, everything),
        refused: step.turn.rejected.map(({ reply, error }) => ({
          reply: replyText(reply),
          told: error.observation,
        })),
      };
    });
    return read;
  };
}

/** The whole text of one side; undefined where what was read is still cut. */
function textIn(action: ActionView, name: 'text' | 'removed' | 'added'): string | undefined {
  const clip = (action as unknown as Record<string, Clip | null | undefined>)[name];
  return clip && clip.hidden === 0 ? clip.head : undefined;
}
