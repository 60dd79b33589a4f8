import type { ReadRecord } from './exporters/exporter';

/** What is wrong with one record by itself, in the order of its messages. */
export function recordProblems(record: ReadRecord): string[] {
  return [
    ...record.problems,
    ...(record.messages ? messageProblems(record) : []),
    ...(record.tokens ? tokenProblems(record.tokens) : []),
    ...stepProblems(record),
  ];
}

const ROLES = new Set(['system', 'user', 'assistant', 'tool']);

function messageProblems({ messages, tools, endsWithTurn }: ReadRecord): string[] {
  const problems: string[] = [];
  const all = messages ?? [];
  const known = new Set(tools?.map((tool) => tool.function.name));
  let open: string[] = [];
  all.forEach(({ role, content, calls, answers }, i) => {
    const say = (what: string) => problems.push(`message ${i}: ${what}`);
    const before = all[i - 1]?.role;
    if (!ROLES.has(role)) say(`expected role system, user, assistant or tool, found "${role}"`);
    if (role === 'system' && i > 0) say('expected the system message to be the first, found another');
    if (role === 'assistant' && (before === 'assistant' || before === 'system' || i === 0)) {
      say(`expected a user or tool message before a turn of the model, found ${before ?? 'nothing'}`);
    }
    if (role === 'assistant' && content.trim() === '' && calls.length === 0) {
      say('expected text or a call in a turn of the model, found an empty turn');
    }
    if (role === 'tool') {
      if (answers === null) say('expected a tool_call_id, found none');
      else if (!open.includes(answers)) say(`expected an answer to an open call, found tool_call_id "${answers}"`);
      open = open.filter((id) => id !== answers);
    } else if (open.length > 0) {
      say(`expected an answer to call "${open[0]}" first, found a message of the ${role}`);
      open = [];
    }
    for (const call of calls) {
      if (call.id === '' && tools !== null && tools.length > 0) say('expected the call to have an id, found none');
      if (!known.has(call.name))
        say(`expected "${call.name}" among the tools, found ${[...known].join(', ') || 'none'}`);
      open.push(call.id);
    }
  });
  const last = all.at(-1)?.role;
  if (endsWithTurn && last !== 'assistant') {
    problems.push(`expected the record to end with a turn of the model, found ${last ?? 'no message'}`);
  }
  return problems;
}

function tokenProblems({ ids, labels }: NonNullable<ReadRecord['tokens']>): string[] {
  if (ids.length !== labels.length)
    return [`expected as many labels as input_ids (${ids.length}), found ${labels.length}`];
  const wrong = labels.findIndex((label, i) => label !== -100 && label !== ids[i]);
  if (wrong >= 0) return [`token ${wrong}: expected label -100 or ${ids[wrong]}, found ${labels[wrong]}`];
  return labels.every((label) => label === -100)
    ? ['expected a label that is not -100, found none: nothing is trained']
    : [];
}

/** Rows that no chain stands behind have no hashes; one that has some has all, each once. */
function stepProblems({ turns }: ReadRecord): string[] {
  const steps = turns.flatMap(({ step }) => (step === null ? [] : [step]));
  if (steps.every((step) => step === '')) return [];
  const seen = new Set<string>();
  return steps.flatMap((step, i) => {
    if (seen.has(step)) return [`turn ${i + 1}: expected a step of its own, found ${step.slice(0, 12)}… again`];
    seen.add(step);
    return /^[0-9a-f]{64}$/.test(step)
      ? []
      : [`turn ${i + 1}: expected the hash of a step, found "${step.slice(0, 70)}"`];
  });
}
