export { type Context, type ContextOptions, contextOf } from './context';
export { findFunction } from './find';
export type { Item } from './selection';
export { describeSlice, type SliceSyntax, sliceOf, sliceSyntax, targetOf } from './slice';
export { standaloneModule } from './standalone';
export { tokensOf } from './tokens';
