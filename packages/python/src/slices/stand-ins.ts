import { eachStatement, namesInTarget, type PythonModule, type Unit } from '../syntax';

/**
 * Functions of a module that a local variable of the same name takes the place of: `get = getter(index)` beside a
 * top-level `get`. Python never reads the function there. It is counted all the same, as the recorded slices and
 * name-based slicers do: the variable is a version of it, which a reader has to know to follow the code.
 */
export function standIns(module: PythonModule, { statement }: Unit): string[] {
  if (statement.kind !== 'function') return [];
  const found = new Set<string>();
  eachStatement(statement.body, (each) => {
    if (each.kind === 'assign' && (each.value.kind === 'call' || each.value.kind === 'lambda'))
      for (const name of each.targets.flatMap(namesInTarget)) if (isFunction(module, name)) found.add(name);
    return each.kind !== 'class';
  });
  for (const { name } of statement.parameters) found.delete(name);
  return [...found];
}

function isFunction(module: PythonModule, name: string): boolean {
  return module.bindings.get(name)?.at(-1)?.kind === 'function';
}
