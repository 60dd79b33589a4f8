import type { DatasetFile, DatasetFormat } from '../../contract';
import { EXPORTERS } from '../exporters';
import type { MaskBy } from '../exporters/exporter';
import { code, markdownTable } from './markdown';

/** What reads each format, and how. */
const READERS: Readonly<Record<DatasetFormat, string>> = {
  universal: 'anything that reads a field of a message: `train`, `weight`, `loss` and `loss_weight` say the same',
  openai: "OpenAI's fine-tuning API; upload the file as it is",
  trl: 'TRL `SFTTrainer` with `assistant_only_loss=True`: see `recipes/sft_trl.py`',
  axolotl: 'axolotl, `type: chat_template` with `message_field_training: train`: see `recipes/axolotl.yaml`',
  tokens: 'any trainer that takes `input_ids` and `labels`, of the tokenizer named below alone',
  'swesmith-xml': "SWE-smith's `xml` style",
  'swesmith-ticks': "SWE-smith's `ticks` style",
  'swesmith-tool': "SWE-smith's `tool` style",
  sharegpt: 'LLaMA-Factory, `formatting: sharegpt`',
  'sharegpt-turns': 'LLaMA-Factory with `mask_history: true`: a record a trained turn',
  traj: "SWE-agent's tools: a folder of `.traj` files with `preds.json`",
  atif: 'readers of the agent trajectory interchange format',
};

const MASKS: Readonly<Record<MaskBy, string>> = {
  message: 'by a field of each message',
  completion: 'what stands in `completion`',
  labels: 'by the labels',
  'last-turn': 'the last message alone',
  ignored: '**not by its usual trainers**',
};

/** How each format that was written is loaded, and a warning of those whose trainers do not see the mask. */
export function loadingSection(files: readonly DatasetFile[], formats: readonly DatasetFormat[]): string {
  const example = files.find(({ path, split }) => path.endsWith('.parquet') && split === 'train');
  const first = example ?? files.find(({ path, split }) => path.endsWith('.jsonl') && split === 'train');
  const rows = formats.map((format) => [code(format), READERS[format], MASKS[EXPORTERS[format].mask]]);
  const blind = formats.filter((format) => EXPORTERS[format].mask === 'ignored');
  return [
    '## Loading',
    '',
    ...(first
      ? [
          '```python',
          'from datasets import load_dataset',
          `rows = load_dataset("${loader(first.path)}", data_files="${first.path}", split="train")`,
          '```',
          '',
        ]
      : []),
    markdownTable(['format', 'read by', 'which turns are trained'], rows),
    '',
    'A trainer that is given plain messages and goes by the role alone (TRL with `messages`, LLaMA-Factory, torchtune, verl,',
    "unsloth's response-only mode) trains the student's turns as well. Use a file above that is made for it.",
    ...(blind.length > 0
      ? [
          '',
          `> **Warning.** ${blind.map(code).join(', ')}: the file has the mask, but the trainers that usually read it train every assistant turn.`,
        ]
      : []),
  ].join('\n');
}

function loader(path: string): string {
  return path.endsWith('.parquet') ? 'parquet' : 'json';
}
