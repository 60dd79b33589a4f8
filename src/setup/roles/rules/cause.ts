import type { FailureClass, Ground } from '../../../contract';

/** Whose fault a failure is, in the words of the verifier and of the judge. */
export interface Cause {
  readonly class: FailureClass;
  readonly ground: Ground;
  readonly why: string;
}

export const setupCause = (why: string): Cause => ({ class: 'setup', ground: 'reproduced', why });
export const external = (why: string): Cause => ({ class: 'external_service', ground: 'external_service', why });
export const data = (why: string): Cause => ({ class: 'missing_data', ground: 'missing_data', why });
export const bug = (why: string): Cause => ({ class: 'repository_bug', ground: 'test_logic_bug', why });
