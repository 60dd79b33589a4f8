import type { ImportFromStatement, ImportStatement } from '../syntax';
import { define, Frame } from './frame';
import type { Module } from './modules';
import { fieldOf, Slot } from './values';

/** Reads a module, once, and before it those that it imports; in a circle the one that came first goes on later. */
export function readModule(frame: Pick<Frame, 'analysis'>, module: Module): void {
  if (module.state === 'read') return;
  module.state = 'read';
  const { analysis } = frame;
  const { name, syntax, path, scopes } = module;
  // A package's `__init__` runs before anything in it.
  readParents(frame, name);
  const first = { start: 0, end: 0, line: 1, endLine: syntax.lineStarts.length };
  define(analysis, name, 'module', path, first);
  const inner = new Frame(analysis, { kind: 'module', name, module, scope: scopes.get('module')!, parent: undefined });
  inner.run(syntax.body);
  inner.publish();
}

function readParents(frame: Pick<Frame, 'analysis'>, name: string): void {
  for (let at = name.indexOf('.'); at > 0; at = name.indexOf('.', at + 1)) {
    const parent = frame.analysis.modules.get(name.slice(0, at));
    if (parent) readModule(frame, parent);
  }
}

export function importModules(frame: Frame, { names }: ImportStatement): void {
  for (const { name, alias } of names) {
    const [first] = name.split('.', 1);
    const whole = importNamed(frame, name);
    frame.bind(alias ?? first!, alias === undefined && first !== name ? importNamed(frame, first!) : whole);
  }
}

/** The module of a dotted name, from here: one of ours, or one known by name only. */
export function importNamed(frame: Frame, name: string): Slot {
  const { modules } = frame.analysis;
  const module = modules.find(name, frame.module);
  if (module) {
    readModule(frame, module);
    attach(frame, module);
    return frame.program.slotFor(module.value);
  }
  return frame.program.slotFor(hasModulesUnder(frame, name) ? namespace(frame, name) : frame.program.external(name));
}

/** A folder without `__init__` is a package all the same, of nothing but its modules. */
function namespace(frame: Frame, name: string) {
  const { program, modules } = frame.analysis;
  const value = program.namespaceOf(name);
  for (const module of modules.all())
    if (parentOf(module.name) === name) program.solver.add(fieldOf(value.fields, lastOf(module.name)), module.value);
  return value;
}

function hasModulesUnder({ analysis }: Frame, name: string): boolean {
  return analysis.modules.hasUnder(name);
}

/** An imported module is an attribute of its package, unless the package binds that name itself. */
function attach(frame: Frame, module: Module): void {
  const parent = frame.analysis.modules.get(parentOf(module.name));
  if (!parent) return;
  const name = lastOf(module.name);
  if (!parent.scopes.get('module')!.bound.has(name) || parent.value.fields.get(name) === undefined)
    frame.solver.add(fieldOf(parent.value.fields, name), module.value);
  const grand = parentOf(parent.name);
  if (grand !== '') attach(frame, parent);
}

export function importFrom(frame: Frame, { level, module: target, names }: ImportFromStatement): void {
  const { modules } = frame.analysis;
  const absolute = modules.absolute(level, target, frame.module);
  const found = level > 0 ? modules.get(absolute) : modules.find(absolute, frame.module);
  if (found) readModule(frame, found);
  for (const { name, alias } of names) {
    if (name === '*') {
      if (found) importAll(frame, found);
    } else frame.bind(alias ?? name, importMember(frame, found, absolute, name));
  }
}

function importMember(frame: Frame, from: Module | undefined, absolute: string, name: string): Slot {
  const { modules, program } = frame.analysis;
  const submodule = modules.member(from?.name ?? absolute, name);
  if (!from) {
    if (submodule) {
      readModule(frame, submodule);
      return program.slotFor(submodule.value);
    }
    return program.slotFor(program.external(`${absolute}.${name}`));
  }
  const isBound = from.scopes.get('module')!.bound.has(name) || from.value.fields.has(name);
  if (submodule && (!isBound || frame.module === from)) {
    readModule(frame, submodule);
    attach(frame, submodule);
    return program.slotFor(submodule.value);
  }
  if (!isBound && from.scopes.get('module')!.bound.has('__getattr__')) return askModule(frame, from);
  return fieldOf(from.value.fields, name);
}

/** A module's own `__getattr__` gives what it does not bind. */
function askModule(frame: Frame, from: Module): Slot {
  const result = new Slot();
  frame.solver.on(fieldOf(from.value.fields, '__getattr__'), (value) => {
    if (value.kind === 'function') frame.solver.flow(value.returned, result);
  });
  return result;
}

function importAll(frame: Frame, from: Module): void {
  const { modules } = frame.analysis;
  for (const name of modules.exportedNames(from)) frame.bind(name, importMember(frame, from, from.name, name));
}

function parentOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('.')));
}

function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
