"""Steps of TRL's trainers on our files: `train_steps.py sft|grpo|distillation MODEL FILE STEPS`. Prints the losses.

SFT reads `tokens`, GRPO `skyrl` and distillation `distill`; the latter two with `pointsman_trl`.
"""

import json
import os
import sys
import tempfile

os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
kind, model, path, steps = sys.argv[1:]
COMMON = {
    "max_steps": int(steps),
    "per_device_train_batch_size": 1,
    "logging_steps": 1,
    "learning_rate": 1e-3,
    "lr_scheduler_type": "constant",
    "save_strategy": "no",
    "report_to": [],
    "use_cpu": True,
    "bf16": False,
}
QUEUED = {"model_init_kwargs": {"attn_implementation": "sdpa", "dtype": "float32"}, "gradient_accumulation_steps": 4}


def sft(output):
    import datasets
    from trl import SFTConfig, SFTTrainer

    data = datasets.load_dataset("json", data_files=path, split="train", cache_dir=output)
    return SFTTrainer(model=model, args=SFTConfig(output_dir=output, max_length=None, **COMMON), train_dataset=data)


def grpo(output):
    from datasets import Dataset
    from pointsman_trl import NoTransfer, grpo as worker
    from trl.experimental.async_grpo import AsyncGRPOConfig, AsyncGRPOTrainer

    return AsyncGRPOTrainer(
        model=model,
        args=AsyncGRPOConfig(output_dir=output, **COMMON, **QUEUED),
        train_dataset=Dataset.from_list([{"prompt": []}]),
        rollout_worker=worker(path),
        weight_transfer=NoTransfer(),
    )


def distillation(output):
    from datasets import Dataset
    from pointsman_trl import NoTransfer, distillation as worker
    from trl.experimental.async_distillation import AsyncDistillationConfig, AsyncDistillationTrainer

    return AsyncDistillationTrainer(
        model=model,
        args=AsyncDistillationConfig(output_dir=output, beta=1.0, **COMMON, **QUEUED),
        train_dataset=Dataset.from_list([{"prompt": []}]),
        rollout_worker=worker(path),
        weight_transfer=NoTransfer(),
    )


with tempfile.TemporaryDirectory() as folder:
    trainer = {"sft": sft, "grpo": grpo, "distillation": distillation}[kind](folder)
    trainer.train()
    print(json.dumps([entry for entry in trainer.state.log_history if "loss" in entry]))
