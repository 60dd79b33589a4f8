import { missingAuthor } from '../../agent/handover';
import type { Method } from '../../contract';
import { refuse } from './input';

/** Refuses a method whose policy names an author that it has no profile for, as each of its rollouts would. */
export function checkMethods(methods: readonly Method[]): void {
  for (const [at, method] of methods.entries()) {
    const missing = missingAuthor(method.handOver, method);
    const where = `campaign: methods.${at}`;
    if (missing) refuse(`${where}.${missing.author}: a profile name is needed (found nothing)`, missing.hint);
  }
}

/** Every profile of the campaign, once. */
export function profilesIn(methods: readonly Method[]): string[] {
  const named = methods.flatMap(({ student, expert }) => [student, expert]);
  return [...new Set(named.filter((name) => name !== undefined))];
}
