"""Labels that TRL's own trainer makes of a data set's files, seen where the model would get them: behind its collator.

Arguments: the tokenizer's folder, a JSONL of prompts and completions, a JSONL of ids and labels. Prints, for each file and
record, the pairs of ids and labels.
"""

import json
import sys
import tempfile

import datasets
import torch
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM
from trl import SFTConfig, SFTTrainer


def batches(tokenizer, path, **options):
    with tempfile.TemporaryDirectory() as folder:
        dataset = datasets.load_dataset("json", data_files=path, split="train", cache_dir=folder)
        config = LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=8,
            intermediate_size=8,
            num_hidden_layers=1,
            num_attention_heads=1,
            num_key_value_heads=1,
            max_position_embeddings=131_072,
        )
        arguments = SFTConfig(
            output_dir=folder,
            per_device_train_batch_size=1,
            max_length=None,
            report_to=[],
            use_cpu=True,
            bf16=False,
            **options,
        )
        trainer = SFTTrainer(
            model=LlamaForCausalLM(config), args=arguments, train_dataset=dataset, processing_class=tokenizer
        )
        torch.manual_seed(0)
        # What its data loader does, without the shuffling.
        for row in trainer._remove_unused_columns(trainer.train_dataset, description="training"):
            batch = trainer.data_collator([row])
            yield {"ids": batch["input_ids"][0].tolist(), "labels": batch["labels"][0].tolist()}


def main(folder, completions, tokens):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    print(
        json.dumps(
            {
                "completions": list(batches(tokenizer, completions, assistant_only_loss=True)),
                "tokens": list(batches(tokenizer, tokens)),
            }
        )
    )


main(*sys.argv[1:])
