/** Reading Python without running it: the README beside this folder has examples. What is not named here is nobody else's. */

export {
  type CallGraph,
  type CallGraphOptions,
  calleesOf,
  callGraphOf,
  type Definition,
  type DefinitionKind,
  type ModuleInput,
  moduleNameOf,
  reachedFrom,
} from './callgraph';
export { type Context, type ContextKind, type ContextOptions, contextOf, tokensOf } from './slices/context';
export {
  describeSlice,
  type FunctionTarget,
  findFunction,
  type ImportTimeEffect,
  type Lines,
  type Slice,
  type SliceItem,
  type SliceSyntax,
  sliceSyntax,
  targetOf,
} from './slices/slice';
export { standaloneModule } from './slices/standalone';
export {
  blocksOf,
  childrenOf,
  cleaned,
  eachExpression,
  eachStatement,
  expressionsIn,
  type FunctionKind,
  type FunctionSyntax,
  functionsOf,
  indexRepository,
  namesInTarget,
  openPython,
  type Python,
  type PythonIndex,
  type PythonModule,
  type Resolution,
  Resolver,
  type SourceFile,
  type Use,
  usesIn,
} from './syntax';
export type * from './syntax/syntax';
