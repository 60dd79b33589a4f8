import { type ChatRequest, ModelProfile } from '../../src/contract';
import { createChatModel } from '../../src/model';
import type { Fault } from '../../src/model/rehearsal/faults';
import type { ScriptInput } from '../../src/model/rehearsal/script';
import { type Rehearsal, startRehearsal } from '../../src/model/rehearsal/server';

export const CANARY = 'canary-9f8e7d6c5b4a';

export const TWO_TURNS: ScriptInput = {
  models: {
    student: {
      turns: [
        { thought: 'Look.', tool: 'bash', args: { command: 'ls' } },
        { thought: 'Edit.', tool: 'bash', args: { command: 'touch a' } },
      ],
    },
  },
};

export function ask(text = 'CONV-ID: c1 do it'): ChatRequest {
  return { messages: [{ role: 'user', content: text }] };
}

export function profileFor(url: string, more: Partial<Record<keyof ModelProfile, unknown>> = {}): ModelProfile {
  return ModelProfile.parse({ baseUrl: url, model: 'student', apiKeyEnv: 'CANARY_KEY', timeoutSeconds: 5, ...more });
}

export function modelAt(url: string, more: Partial<Record<keyof ModelProfile, unknown>> = {}) {
  return createChatModel(profileFor(url, more), { name: 'student', env: { CANARY_KEY: CANARY } });
}

/** A server whose only model is under `fault`. */
export async function faulty(fault: Partial<Fault> & { kind: Fault['kind'] }): Promise<Rehearsal> {
  const student = { ...TWO_TURNS.models.student!, faults: [fault] };
  return startRehearsal({ script: { models: { student } } });
}

export async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a rejection');
}
