"""Ids and labels that axolotl's own chat_template strategy makes of a data set's file, under the settings of our recipe.

Arguments: the tokenizer's folder and a JSONL. Prints the pairs, record by record.
"""

import json
import sys
import tempfile

import datasets
from axolotl.prompt_strategies.chat_template import load
from axolotl.utils.dict import DictDefault
from transformers import AutoTokenizer

DATASET = {
    "type": "chat_template",
    "field_messages": "messages",
    "field_tools": "tools",
    "message_field_training": "train",
}


def main(folder, path):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    config = DictDefault({"sequence_len": 131_072, "train_on_inputs": False, "chat_template": "tokenizer_default"})
    strategy = load(tokenizer, config, ds_cfg=DATASET)
    with tempfile.TemporaryDirectory() as cache:
        rows = datasets.load_dataset("json", data_files=path, split="train", cache_dir=cache)
        made = [strategy.tokenize_prompt(row) for row in rows]
    print(json.dumps([{"ids": list(row["input_ids"]), "labels": list(row["labels"])} for row in made]))


main(*sys.argv[1:])
