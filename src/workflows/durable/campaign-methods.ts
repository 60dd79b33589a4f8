import { needsExpert } from '../../agent/handover';
import type { Method } from '../../contract';
import { refuse } from './input';

/** Refuses a method whose policy names an author that it has no profile for, as each of its rollouts would. */
export function checkMethods(methods: readonly Method[]): void {
  for (const [at, { student, expert, handOver }] of methods.entries()) {
    const where = `campaign: methods.${at}`;
    if (!student && !('at' in handOver && handOver.at === 0))
      refuse(
        `${where}.student: a profile name is needed (found nothing)`,
        'Only {"handOver": {"at": 0}} runs without a student.',
      );
    if (!expert && needsExpert(handOver))
      refuse(
        `${where}.expert: a profile name is needed (found nothing)`,
        'Only {"handOver": {"never": true}} runs without an expert.',
      );
  }
}

/** Every profile of the campaign, once. */
export function profilesIn(methods: readonly Method[]): string[] {
  const named = methods.flatMap(({ student, expert }) => [student, expert]);
  return [...new Set(named.filter((name) => name !== undefined))];
}
