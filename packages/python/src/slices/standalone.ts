import type { PythonIndex, PythonModule, SourceFile, Statement, Unit } from '../syntax';
import { excerptOf } from './excerpt';
import { packagesOf } from './importing';
import { namesByStatement } from './imports';
import type { SliceSyntax } from './slice';

/**
 * A slice as Python that runs by itself: its modules, under their own names, reduced to what belongs to the slice.
 * Paths are relative to a folder that is to be put on Python's path; packages on the way are there, empty if need be.
 */
export function standaloneModule(index: PythonIndex, { function: target, selection }: SliceSyntax): SourceFile[] {
  const units = new Map<PythonModule, Set<Unit>>();
  const choose = (module: PythonModule, unit?: Unit): void => {
    const known = units.get(module) ?? new Set();
    units.set(module, unit ? known.add(unit) : known);
  };
  for (const { module, binding } of selection.items.values()) choose(module, binding.unit);
  for (const { module, unit } of selection.effects.values()) choose(module, unit);
  for (const [unit, module] of selection.supports) choose(module, unit);
  const names = namesByStatement(selection, false);
  for (const module of names.keys()) choose(module);
  for (const submodules of selection.submodules.values()) for (const each of submodules) choose(each);
  for (const module of selection.touched) choose(module);
  for (const module of [...units.keys(), target.module]) for (const each of packagesOf(index, module)) choose(each);
  return [...units]
    .map(([module, chosen]): SourceFile => ({ path: pathIn(module), text: textOf(module, chosen, names, selection) }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function pathIn({ path, root }: PythonModule): string {
  return root === '.' ? path : path.slice(root.length + 1);
}

function textOf(
  module: PythonModule,
  units: ReadonlySet<Unit>,
  names: ReadonlyMap<PythonModule, ReadonlyMap<Statement, readonly string[]>>,
  selection: SliceSyntax['selection'],
): string {
  const wanted = new Map(names.get(module) ?? []);
  const future = new Set(['annotations']);
  if (selection.keepsAnnotations && !module.postponedAnnotations) future.delete('annotations');
  for (const { statement } of module.units)
    if (statement.kind === 'importFrom' && statement.module === '__future__') {
      for (const { name } of statement.names) future.add(name);
      wanted.delete(statement);
    }
  // Submodules that the repository reaches because something else imported them.
  const submodules = [...(selection.submodules.get(module) ?? [])].map(({ name }) => `import ${name}`);
  const body = excerptOf(module, { units, names: wanted });
  const head = future.size > 0 ? [`from __future__ import ${[...future].join(', ')}`] : [];
  return body === '' && submodules.length === 0 ? '' : `${[...head, ...submodules, body].join('\n')}\n`;
}
