export type { Binding, Unit } from './bindings';
export { type ImportedFrom, namesBoundBy } from './bindings';
export { isBuiltin } from './builtins';
export { type FunctionKind, type FunctionSyntax, functionsIn, functionsOf } from './functions';
export { openPython, type Python } from './parser';
export {
  assigned,
  decidedIn,
  indexRepository,
  type PythonIndex,
  type PythonModule,
  type SourceFile,
} from './repository';
export { type Entity, type Passage, type Resolution, Resolver } from './resolve';
export { type Scope, scopeOf, type Use, usesIn, walkScopes } from './scopes';
export { cleaned } from './strings';
export * from './syntax';
export {
  blocksOf,
  childrenOf,
  eachExpression,
  eachStatement,
  expressionsIn,
  namesInPattern,
  namesInTarget,
} from './walk';
