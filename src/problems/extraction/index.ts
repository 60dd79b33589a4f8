export { considerFunctions, DEFAULT_FILTERS, resolveFilters } from './filters';
export { bodyLines } from './rules';
