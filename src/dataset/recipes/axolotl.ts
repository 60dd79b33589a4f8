import { PAPER, type RecipeFiles } from './hyper-parameters';

/** An axolotl configuration: the field \`train\` of each message decides what has a loss. */
export function axolotlRecipe({ name, train, validation, maxTokens, seed }: RecipeFiles): string {
  return `# Fine-tunes a student on ${name} with axolotl; only messages with \`train: true\` have a loss.
#   axolotl preprocess axolotl.yaml --debug     shows the labels of the first rows
#   axolotl train axolotl.yaml
# Run it in this folder: paths are relative to it.
base_model: STUDENT # the student's checkpoint

# The student's own template: axolotl's "chatml" leaves out structured tool calls.
chat_template: tokenizer_default
datasets:
${source(train)}
${validation ? `test_datasets:\n${source(validation)}\n` : ''}
sequence_len: ${maxTokens}
sample_packing: false
pad_to_sequence_len: false
train_on_inputs: false

# Rows a step: micro_batch_size × gradient_accumulation_steps × devices. The paper: 64 for 7B, 16 for 32B.
micro_batch_size: 1
gradient_accumulation_steps: ${PAPER.batch}
num_epochs: ${PAPER.epochs}
learning_rate: 5.0e-5
lr_scheduler: cosine
warmup_steps: ${PAPER.warmupSteps}
optimizer: adamw_torch
adam_beta1: ${PAPER.beta1}
adam_beta2: ${PAPER.beta2}
max_grad_norm: ${PAPER.gradientNorm.toFixed(1)}

bf16: auto
gradient_checkpointing: true
logging_steps: 1
saves_per_epoch: 1
${validation ? 'evals_per_epoch: 1\n' : ''}output_dir: student
seed: ${seed}
`;
}

function source(path: string): string {
  return `  - path: ${path}
    ds_type: json
    split: train
    type: chat_template
    field_messages: messages
    field_tools: tools
    message_field_training: train
    roles_to_train: []
    train_on_eos: turn`;
}
