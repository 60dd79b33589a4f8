import { PAPER, type RecipeFiles } from './hyper-parameters';

/**
 * A TRL script: losses are on the completion's assistant turns alone, which are the trained ones. Its file must not be named
 * `trl.py`, or Python takes it for the package.
 */
export function trlRecipe({ name, train, validation, maxTokens, seed }: RecipeFiles): string {
  return `"""Fine-tunes a student on ${name} with TRL; only the trained turns have a loss.

    pip install trl datasets
    python sft_trl.py --model STUDENT --check      # prints what has a loss in the first rows, trains nothing
    accelerate launch sft_trl.py --model STUDENT

The model's chat template must mark what the assistant says ({% generation %}); TRL brings templates of its own
for the families that it knows, and stops with an error for others.
"""

import argparse
import os
from pathlib import Path

from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

HERE = Path(__file__).resolve().parent
FILES = {"train": "${train}"${validation ? `, "validation": "${validation}"` : ''}}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="the student's checkpoint")
    parser.add_argument("--output", default="student")
    parser.add_argument("--batch", type=int, default=${PAPER.batch}, help="rows a step on all devices; the paper: 64 for 7B, 16 for 32B")
    parser.add_argument("--per-device", type=int, default=1, help="rows a device holds at once")
    parser.add_argument("--no-bf16", action="store_true", help="for devices without bfloat16")
    parser.add_argument("--check", action="store_true", help="print what has a loss, and stop")
    return parser.parse_args()


def main() -> None:
    args = arguments()
    data = load_dataset("${train.endsWith('.parquet') ? 'parquet' : 'json'}", data_files={split: str(HERE / path) for split, path in FILES.items()})
    data = data.select_columns(["prompt", "completion", "tools"])
    devices = int(os.environ.get("WORLD_SIZE", "1"))
    config = SFTConfig(
        output_dir=args.output,
        num_train_epochs=${PAPER.epochs},
        per_device_train_batch_size=args.per_device,
        gradient_accumulation_steps=max(1, args.batch // (args.per_device * devices)),
        learning_rate=5e-5,
        lr_scheduler_type="cosine",
        warmup_steps=${PAPER.warmupSteps},
        adam_beta1=${PAPER.beta1},
        adam_beta2=${PAPER.beta2},
        max_grad_norm=${PAPER.gradientNorm.toFixed(1)},
        max_length=${maxTokens},
        packing=False,
        completion_only_loss=True,
        # The completion holds observations, too: they have no loss.
        assistant_only_loss=True,
        gradient_checkpointing=True,
        bf16=not args.no_bf16,
        logging_steps=1,
        save_strategy="epoch",
        eval_strategy="epoch" if "validation" in data else "no",
        report_to="none",
        seed=${seed},
    )
    trainer = SFTTrainer(
        model=args.model, args=config, train_dataset=data["train"], eval_dataset=data.get("validation")
    )
    show_loss(trainer)
    if args.check:
        return
    trainer.train()
    trainer.save_model()


def show_loss(trainer: SFTTrainer) -> None:
    """What the trainer really learns from, as the collator gives it: a mask that is lost is seen before it costs."""
    rows = [trainer.train_dataset[i] for i in range(min(2, len(trainer.train_dataset)))]
    labels = trainer.data_collator(rows)["labels"]
    for row in labels.tolist():
        learned = [token for token in row if token != -100]
        if not learned:
            raise SystemExit("a row has no token with a loss: its trained turns were cut off, or the mask is lost")
        print(f"--- {len(learned)} of {len(row)} tokens have a loss:")
        print(trainer.processing_class.decode(learned)[:2000])


if __name__ == "__main__":
    main()
`;
}
