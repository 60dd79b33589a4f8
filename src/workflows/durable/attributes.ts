import { defineSearchAttributeKey } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES, type SearchAttributeName } from '../../contract';

export type Values = Partial<Record<SearchAttributeName, string | number | boolean | undefined>>;

/** Sets search attributes by name. Each call is an event in the history: call it on changes of phase, not on steps. */
export function publish(values: Values): void {
  const pairs = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({
      key: defineSearchAttributeKey(name, SEARCH_ATTRIBUTES[name as SearchAttributeName]),
      value,
    }));
  upsertSearchAttributes(pairs as Parameters<typeof upsertSearchAttributes>[0]);
}
