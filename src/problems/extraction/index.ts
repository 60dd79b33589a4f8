export { targetOf } from '../../../packages/python/src/slices';
export { considerFunctions, DEFAULT_FILTERS, type Extraction, resolveFilters } from './filters';
export { bodyLines } from './rules';
