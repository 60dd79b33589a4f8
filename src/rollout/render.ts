import type { ChatMessage, ChatRequest, Rejected, SeenStep, Transcript, View } from '../contract';
import { cutMiddle, preview } from './clip';
import { DIALECTS } from './dialects';
import { fillTemplate, type Prompts } from './prompts';
import { splitReasoning } from './reasoning';
import { actionLine } from './summary';
import { TOOLS, type ToolTable } from './tools';

/**
 * What a model is asked for its next turn: the whole transcript in its own dialect, whoever acted before. That is also
 * the hand-over (Algorithm 1, `format(history, M^E)`): full stored observations are cut anew by this view's limit.
 *
 * With `full` history the request for k+1 steps begins with the messages of the request for k, so that providers' prompt
 * caches hit. `rejected`, the author's malformed replies to the turn being made, are all appended with their errors: no
 * request is made twice.
 * Throws `InvalidInput` when a prompt file uses a variable that does not exist.
 */
export function renderRequest(
  transcript: Transcript,
  view: View,
  prompts: Prompts,
  rejected: readonly Rejected[] = [],
  table: ToolTable = TOOLS,
): ChatRequest {
  const dialect = DIALECTS[view.dialect];
  const { workdir: working_dir, statement: problem_statement } = transcript.opening;
  const tool_docs = dialect.documentation(table);
  const messages: ChatMessage[] = [
    { role: 'system', content: fillTemplate(prompts.system, { tool_docs, working_dir }) },
    { role: 'user', content: fillTemplate(prompts.instance, { problem_statement, working_dir }) },
  ];
  const firstShown = view.history.kind === 'full' ? 0 : transcript.steps.length - view.history.n;
  transcript.steps.forEach((step, i) => {
    const text = observationText(step, view, prompts);
    const shown =
      i >= firstShown ? text : fillTemplate(prompts['observation-omitted'], { lines: `${lineCount(text)}` });
    messages.push(dialect.renderTurn(step.turn).message, dialect.renderObservation(step.turn.turn, shown));
  });
  for (const each of rejected) messages.push(...rejectedMessages(each, view, prompts));
  const tools = dialect.toolParameter(table);
  return { messages, ...(tools ? { tools } : {}) };
}

/** One observation as the model reads it: cut to the view's limit, or in words where there was no output. */
export function observationText(step: SeenStep, view: View, prompts: Prompts): string {
  const observation = fitted(step, view, prompts);
  if (step.timedOutAfter !== null) {
    const cancelled = fillTemplate(prompts['observation-timeout'], {
      command: preview(commandOf(step), 1_000),
      seconds: `${step.timedOutAfter}`,
      observation: observation === '' ? '(no output)' : observation,
    });
    return fillTemplate(prompts.observation, { observation: cancelled });
  }
  const failed = step.exitCode !== null && step.exitCode !== 0;
  if (observation !== '') {
    const shown = failed
      ? fillTemplate(prompts['observation-failed'], { observation, exit_code: `${step.exitCode}` })
      : observation;
    return fillTemplate(prompts.observation, { observation: shown });
  }
  if (!failed) return fillTemplate(prompts['observation-empty'], {});
  return fillTemplate(prompts['observation-empty-failed'], { exit_code: `${step.exitCode}` });
}

function fitted(step: SeenStep, view: View, prompts: Prompts): string {
  const limit = view.observationChars;
  if (step.observation.trim() === '') return '';
  const { head, tail, elided } = cutMiddle(step.observation, limit);
  const observation =
    elided === 0
      ? step.observation
      : fillTemplate(prompts['observation-cut'], { head, tail, elided: `${elided}`, limit: `${limit}` });
  if (step.elidedBytes === 0) return observation;
  return fillTemplate(prompts['observation-dropped'], { observation, bytes: `${step.elidedBytes}` });
}

/**
 * A failed reply is shown as text: servers refuse a history with calls that are malformed or have no result. It is cut,
 * because a runaway reply must not fill the context window that its repair needs.
 */
function rejectedMessages({ reply, error }: Rejected, view: View, prompts: Prompts): ChatMessage[] {
  const calls = reply.toolCalls.map((call) => `${preview(call.name, 60)} ${preview(call.arguments, 200)}`).join(', ');
  const { said: text, reasoning, unended } = splitReasoning(reply.content ?? '');
  const nothing = reasoning === '' ? '(empty reply)' : '(reasoning alone)';
  const said = text.trim() !== '' && !unended ? text : calls ? `(called ${preview(calls, 600)})` : nothing;
  return [
    { role: 'assistant', content: preview(said, Math.min(view.observationChars, 10_000)) },
    { role: 'user', content: fillTemplate(prompts['format-error'], { error: error.observation }) },
  ];
}

function commandOf({ turn: { action } }: SeenStep): string {
  return typeof action.args.command === 'string' && action.tool === 'bash' ? action.args.command : actionLine(action);
}

function lineCount(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}
