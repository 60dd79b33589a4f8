import { nearest, PointsmanError } from '../../../../src/contract';
import { type FunctionSyntax, functionsIn, type PythonIndex, type PythonModule } from '../syntax';
import { repositoryOf } from './repository';

/**
 * The function that a dotted name means: `pkg.mod.f`, `pkg.mod.C.m`, or a name that a package passes on, `pkg.f`.
 * Throws `InvalidInput` with the name that looks most like it.
 */
export function findFunction(index: PythonIndex, qualname: string): FunctionSyntax {
  const parts = qualname.split('.');
  for (let at = parts.length - 1; at > 0; at--) {
    const [module, name] = [parts.slice(0, at).join('.'), parts.slice(at)];
    for (const each of index.byName.get(module) ?? []) {
      const found = functionIn(each, name.join('.')) ?? passedOn(index, each, name);
      if (found) return found;
    }
  }
  const close = closest(index, qualname);
  throw new PointsmanError(
    'InvalidInput',
    `no function ${qualname}${close ? `, did you mean ${close}?` : ''}`,
    'Name it as it is imported: module.function, or module.Class.method.',
  );
}

/** The last definition of that name: the implementation, where stubs of overloads precede it. */
export function functionIn(module: PythonModule, name: string): FunctionSyntax | undefined {
  return functionsIn(module).findLast(({ qualname, isNested }) => qualname === name && !isNested);
}

function passedOn(index: PythonIndex, module: PythonModule, [first = '', ...rest]: readonly string[]) {
  for (const entity of repositoryOf(index).resolver.member(module, first, rest).entities) {
    if (entity.kind !== 'definition') continue;
    const found = functionIn(entity.module, [entity.binding.name, ...entity.rest].join('.'));
    if (found) return found;
  }
  return undefined;
}

/** By the whole name, or by the last part alone where the module was guessed. */
function closest(index: PythonIndex, qualname: string): string | undefined {
  const byLast = new Map<string, string[]>();
  for (const module of index.modules)
    for (const { qualname: own, isNested } of functionsIn(module)) {
      const last = own.split('.').at(-1)!;
      if (!isNested) byLast.set(last, [...(byLast.get(last) ?? []), `${module.name}.${own}`]);
    }
  const whole = nearest(qualname, [...byLast.values()].flat());
  if (whole) return whole;
  const last = qualname.split('.').at(-1)!;
  const same = byLast.get(byLast.has(last) ? last : (nearest(last, [...byLast.keys()]) ?? ''));
  return same?.find((each) => each.startsWith(`${qualname.split('.')[0]}.`)) ?? same?.[0];
}
