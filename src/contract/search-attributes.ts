/**
 * What lists and filters in the Temporal UI and CLI can ask for. The worker registers them at start. SQL visibility has
 * few columns of each type (10 Keyword, 3 of each other), so a new one must be worth a column.
 */
export const SEARCH_ATTRIBUTES = {
  InstanceId: 'KEYWORD',
  Student: 'KEYWORD',
  Expert: 'KEYWORD',
  Phase: 'KEYWORD',
  Outcome: 'KEYWORD',
  Step: 'INT',
  SwitchIndex: 'INT',
  CostUsd: 'DOUBLE',
  Resolved: 'BOOL',
} as const;
export type SearchAttributeName = keyof typeof SEARCH_ATTRIBUTES;
