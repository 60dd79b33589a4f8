"""Writes checkpoints of tiny models with a tokenizer's files: `tiny_models.py TOKENIZER OUT NAME…`. Each has weights of its own."""

import sys

import torch
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

folder, out, *names = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(folder)
for seed, name in enumerate(names):
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=32_768,
        # Of random weights all tokens are as likely as one another: these are spread.
        initializer_range=0.2,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    LlamaForCausalLM(config).save_pretrained(f"{out}/{name}")
    tokenizer.save_pretrained(f"{out}/{name}")
print("{}")
