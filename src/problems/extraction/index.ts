export { targetOf } from '@pointsman/python';
export { considerFunctions, DEFAULT_FILTERS, type Extraction, resolveFilters } from './filters';
export { bodyLines } from './rules';
