export { targetOf } from '../slices';
export { considerFunctions, type Extraction } from './consider';
export { DEFAULT_FILTERS, resolveFilters } from './filters';
export { bodyLines } from './rules';
