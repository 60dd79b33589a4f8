import { CancellationScope } from '@temporalio/workflow';

/**
 * Results of `work` on each item in their order, at most `limit` at once. When one fails the others are cancelled and waited
 * for, so that nothing goes on behind the back of what cleans up; then the failure is thrown.
 */
export async function sideBySide<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  await CancellationScope.cancellable(async () => {
    const scope = CancellationScope.current();
    const worker = async () => {
      for (let at = next++; at < items.length && !failure; at = next++) {
        try {
          results[at] = await work(items[at]!);
        } catch (error) {
          failure ??= { error };
          scope.cancel();
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  });
  if (failure) throw failure.error;
  return results;
}
