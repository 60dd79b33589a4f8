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
# A budget that is not given is asked of the server that samples.
QUEUED = {"gradient_accumulation_steps": 4, "token_budget": 0}


def without_gpu():
    """Stands in for what the trainers with a queue ask of a GPU: its name, and GRPO's kernel of attention, written out."""
    import types

    import torch
    from trl.experimental.async_grpo import packing

    def attention(query, key, value, queries, keys, *_, softmax_scale=None, **__):
        parts = []
        for q, q_end, k, k_end in zip(queries, queries[1:], keys, keys[1:]):
            seen = torch.ones(q_end - q, k_end - k, dtype=torch.bool).tril((k_end - k) - (q_end - q))
            each = [x.transpose(0, 1) for x in (query[q:q_end], key[k:k_end], value[k:k_end])]
            out = torch.nn.functional.scaled_dot_product_attention(*each, attn_mask=seen, scale=softmax_scale)
            parts.append(out.transpose(0, 1))
        return torch.cat(parts)

    torch.cuda.get_device_name = lambda *_: "none"
    packing._flash_attn = lambda: types.SimpleNamespace(flash_attn_varlen_func=attention)


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
        args=AsyncGRPOConfig(output_dir=output, model_init_kwargs={"dtype": "float32"}, **COMMON, **QUEUED),
        train_dataset=Dataset.from_list([{"prompt": []}]),
        rollout_worker=worker(path),
        weight_transfer=NoTransfer(),
    )


def distillation(output):
    from datasets import Dataset
    from pointsman_trl import NoTransfer, distillation as worker
    from trl.experimental.async_distillation import AsyncDistillationConfig, AsyncDistillationTrainer

    # Its kernel for sequences in a row needs a GPU; a sequence by itself needs none.
    model_init_kwargs = {"dtype": "float32", "attn_implementation": "sdpa"}
    return AsyncDistillationTrainer(
        model=model,
        args=AsyncDistillationConfig(
            output_dir=output, beta=1.0, model_init_kwargs=model_init_kwargs, **COMMON, **QUEUED
        ),
        train_dataset=Dataset.from_list([{"prompt": []}]),
        rollout_worker=worker(path),
        weight_transfer=NoTransfer(),
    )


with tempfile.TemporaryDirectory() as folder:
    without_gpu()
    trainer = {"sft": sft, "grpo": grpo, "distillation": distillation}[kind](folder)
    trainer.train()
    print(json.dumps([entry for entry in trainer.state.log_history if "loss" in entry]))
