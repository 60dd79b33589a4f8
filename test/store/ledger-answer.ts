import type { ChatAnswer } from '../../src/model/answer';

export function answerOf(content: string): ChatAnswer {
  return {
    reply: { content, toolCalls: [], finishReason: 'stop' },
    usage: { promptTokens: 1, cachedTokens: 0, completionTokens: 1, costUsd: 0.1 },
    priced: true,
    responseId: 'id',
    model: 'm',
    latencyMs: 5,
  };
}
