import type { Expression, Pattern } from '../syntax';
import type { Frame } from './frame';
import { loadItem, storeItem, unpack } from './items';
import { instancesOf } from './narrowing';
import { loadAttribute, storeAttribute } from './objects';
import { constantIn, evaluateIndex, pathOf } from './paths';
import { Slot } from './values';

/** `target = value`. */
export function assign(frame: Frame, target: Expression, value: Slot): void {
  const { program } = frame;
  switch (target.kind) {
    case 'name':
      frame.bind(target.id, value);
      return;
    case 'starred':
      assign(frame, target.value, value);
      return;
    case 'tuple':
    case 'list': {
      const star = target.elements.findIndex(({ kind }) => kind === 'starred');
      const parts = unpack(
        program,
        frame.site(target),
        value,
        target.elements.length,
        star < 0 ? undefined : star,
        target,
      );
      for (const [at, element] of target.elements.entries()) assign(frame, element, parts[at]!);
      return;
    }
    case 'attribute': {
      const object = frame.evaluateInside(target.object);
      const site = frame.site(target);
      storeAt(frame, target, value, () => storeAttribute(program, site, object, target.name, value));
      return;
    }
    case 'subscript': {
      const object = frame.evaluateInside(target.object);
      const index = evaluateIndex(frame, target.index);
      const site = frame.site(target);
      storeAt(frame, target, value, () => storeItem(program, site, object, index, value));
      return;
    }
    default:
      frame.evaluate(target);
  }
}

/** A store is done when others may look; from here on its place holds the value and nothing else. */
function storeAt(frame: Frame, target: Expression, value: Slot, store: () => void): void {
  const path = pathOf(frame, target);
  if (path === undefined) {
    if (target.kind === 'subscript') frame.blur();
    store();
    return;
  }
  frame.put(path, value);
  frame.later(path, store);
}

/** `a, b = f, g` element by element, without the tuple between. True where that could be done. */
export function assignDirectly(frame: Frame, targets: readonly Expression[], value: Expression): boolean {
  const [target, ...others] = targets;
  if (!target || others.length > 0 || value.kind !== 'tuple') return false;
  if (target.kind !== 'tuple' && target.kind !== 'list') return false;
  const { elements } = target;
  const isPlain = [...elements, ...value.elements].every(({ kind }) => kind !== 'starred');
  if (!isPlain || elements.length !== value.elements.length) return false;
  const slots = value.elements.map((each) => frame.evaluate(each));
  for (const [at, element] of elements.entries()) assign(frame, element, slots[at]!);
  return true;
}

/** Names that a `case` binds. */
export function match(frame: Frame, pattern: Pattern, subject: Slot): void {
  const { program, solver } = frame;
  switch (pattern.kind) {
    case 'capture':
    case 'star':
      if (pattern.name !== undefined) frame.bind(pattern.name, subject);
      return;
    case 'value':
      frame.evaluate(pattern.value);
      return;
    case 'sequence': {
      const star = pattern.patterns.findIndex(({ kind }) => kind === 'star');
      const site = frame.site(pattern);
      const parts = unpack(program, site, subject, pattern.patterns.length, star < 0 ? undefined : star, pattern);
      for (const [at, inner] of pattern.patterns.entries()) match(frame, inner, parts[at]!);
      return;
    }
    case 'mapping': {
      for (const { key, pattern: inner } of pattern.entries) {
        const slot = new Slot();
        const constant = constantIn(frame, key);
        const index = constant ? program.slotFor(constant) : frame.evaluate(key);
        loadItem(program, frame.site(pattern), subject, { kind: 'key', slot: index }, slot);
        match(frame, inner, slot);
      }
      if (pattern.rest !== undefined) frame.bind(pattern.rest, subject);
      return;
    }
    case 'class': {
      const type = frame.evaluate(pattern.class);
      const instance = instancesOf(frame, subject, type, pattern.class);
      for (const [at, inner] of pattern.positional.entries()) {
        const slot = new Slot();
        solver.on(type, (cls) => {
          const name = cls.kind === 'class' ? cls.recordFields?.[at] : undefined;
          if (name !== undefined) loadAttribute(program, frame.site(pattern), instance, name, slot);
        });
        match(
          frame,
          inner,
          inner.kind === 'capture' && pattern.positional.length === 1 ? program.merged(slot, instance) : slot,
        );
      }
      for (const { name, pattern: inner } of pattern.keywords) {
        const slot = new Slot();
        loadAttribute(program, frame.site(pattern), instance, name, slot);
        match(frame, inner, slot);
      }
      return;
    }
    case 'or':
      for (const each of pattern.patterns) match(frame, each, subject);
      return;
    case 'as':
      match(frame, pattern.pattern, subject);
      frame.bind(
        pattern.name,
        pattern.pattern.kind === 'class'
          ? instancesOf(frame, subject, frame.evaluate(pattern.pattern.class), pattern.pattern.class)
          : subject,
      );
      return;
    default:
      pattern satisfies never;
      return;
  }
}
