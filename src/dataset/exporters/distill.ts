import { IGNORED } from '../tokens';
import type { DataRecord, LinesExporter } from './exporter';
import { METADATA_COLUMNS, PROVENANCE_COLUMNS, provenance } from './messages';
import { fieldsOf } from './read';
import { numbersIn } from './read-tokens';
import { sampledOf, withFigures, withoutTokens } from './sampled-calls';
import { tokens } from './tokens';

/**
 * What on-policy distillation learns from: sequences as the student sampled them, and for each sampled id how likely the student
 * and a teacher took it to be behind all before it. All lists are as long as `input_ids`; where `labels` is −100 the others
 * are 0. A reward has no part in it, so that rows without one are as good as any.
 */
export const distill: LinesExporter = {
  format: 'distill',
  layout: 'lines',
  mask: 'labels',
  loadedBy:
    "what distils from given log-probabilities, like TRL's AsyncDistillationTrainer with `beta=1` (a `rollout_worker` fills its queue)",
  readsTokens: true,
  readsScores: true,
  namesSteps: true,
  isOf: (fields) => 'teacher_logprobs' in fields,
  export(row) {
    const sampled = sampledOf(row);
    if (!sampled) return withoutTokens(row);
    const { id, conversation, metadata, trajectory } = row;
    const { samples } = sampled;
    const unscored: { reason: 'not_scored'; detail: string }[] = [];
    const records = samples.flatMap(({ ids, prompt, answers }, at): DataRecord[] => {
      const name = samples.length === 1 ? id : `${id}#${at + 1}`;
      const score = trajectory?.scores?.[at];
      if (!score) {
        unscored.push({ reason: 'not_scored', detail: name });
        return [];
      }
      const [labels, logprobs, teacher] = [ids.map(() => IGNORED), ids.map(() => 0), ids.map(() => 0)];
      for (const { call, start, end } of answers) {
        for (let i = start; i < end; i += 1) {
          labels[i] = ids[i]!;
          logprobs[i] = call.tokens.logprobs[i - start]!;
          teacher[i] = score.logprobs[i - prompt]!;
        }
      }
      const turns = answers.flatMap(({ call, start, end }) => {
        const turn = call.step === null ? undefined : conversation.turns[call.step];
        return turn ? [{ ...provenance(turn), start, end }] : [];
      });
      return [
        {
          id: name,
          input_ids: ids,
          attention_mask: ids.map(() => 1),
          labels,
          logprobs,
          teacher_logprobs: teacher,
          teacher: score.model,
          valid: metadata.valid,
          reason: metadata.reason,
          turns,
          metadata,
        },
      ];
    });
    const exported = withFigures(row, sampled, records);
    return { ...exported, left: [...exported.left, ...unscored] };
  },
  columns: {
    id: { type: 'string' },
    input_ids: { type: { list: 'int' } },
    attention_mask: { type: { list: 'int' } },
    labels: { type: { list: 'int' } },
    logprobs: { type: { list: 'double' } },
    teacher_logprobs: { type: { list: 'double' } },
    teacher: { type: 'string' },
    valid: { type: 'bool' },
    reason: { type: 'string' },
    turns: { type: { list: { struct: { ...PROVENANCE_COLUMNS, start: { type: 'int' }, end: { type: 'int' } } } } },
    metadata: { type: { struct: METADATA_COLUMNS } },
  },
  read(record) {
    const read = tokens.read(record);
    const fields = fieldsOf(record);
    const labels = read.tokens?.labels ?? [];
    const problems = (['logprobs', 'teacher_logprobs'] as const).flatMap((name) => {
      const list = numbersIn(fields, name, 'number');
      if (list.length !== labels.length) return [`${name}: expected ${labels.length} items, found ${list.length}`];
      const wrong = list.findIndex((logprob, i) => logprob > 0 || (labels[i] === IGNORED && logprob !== 0));
      return wrong < 0 ? [] : [`${name}[${wrong}]: expected 0, or less where it was sampled, found ${list[wrong]}`];
    });
    return { ...read, problems: [...read.problems, ...problems] };
  },
};
