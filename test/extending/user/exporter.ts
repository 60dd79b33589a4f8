import { fieldsOf, type LinesExporter, nothingTrained, textOf } from 'pointsman/extend';

/** Instruction and output of the last trained turn, as instruction tuning takes them. */
export const alpaca: LinesExporter = {
  format: 'alpaca',
  layout: 'lines',
  mask: 'completion',
  loadedBy: 'trainers of single instructions',
  isOf: (fields) => 'instruction' in fields && 'output' in fields,
  export({ id, conversation }) {
    if (nothingTrained(conversation)) return { records: [], left: [{ reason: 'nothing_trained', detail: id }] };
    const turn = conversation.turns.findLast(({ trained }) => trained);
    const instruction = conversation.messages.find(({ role }) => role === 'user')?.content ?? '';
    const output = conversation.messages[turn?.message ?? -1]?.content ?? '';
    return { records: [{ id, instruction, output }], left: [] };
  },
  columns: { id: { type: 'string' }, instruction: { type: 'string' }, output: { type: 'string' } },
  read(record) {
    const { id, instruction, output } = fieldsOf(record);
    return {
      id: textOf(id),
      row: textOf(id),
      turns: [{ message: 1, trained: true, author: null, step: null }],
      messages: [
        { role: 'user', content: textOf(instruction), calls: [], answers: null },
        { role: 'assistant', content: textOf(output), calls: [], answers: null },
      ],
      tools: null,
      train: null,
      endsWithTurn: true,
      problems: [],
    };
  },
};
