import { temporal } from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';
import { SEARCH_ATTRIBUTES } from '../contract';

const { IndexedValueType } = temporal.api.enums.v1;
const TYPES = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  INT: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  DOUBLE: IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
  BOOL: IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
} as const;

/**
 * Registers the search attributes that are missing. A workflow that sets an unregistered one hangs until somebody adds
 * it, and the dev server's flag for them only works on a new database; so the worker does it. Safe to repeat.
 */
export async function ensureNamespace(
  connection: Pick<NativeConnection, 'operatorService'>,
  namespace: string,
): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => customAttributes?.[name] === undefined);
  for (const [name, type] of missing) {
    await connection.operatorService
      .addSearchAttributes({ namespace, searchAttributes: { [name]: TYPES[type] } })
      // Another worker that started at the same moment was quicker.
      .catch((error: Error) => {
        if (!/already exist/i.test(error.message)) throw error;
      });
  }
  return missing.map(([name]) => name);
}
