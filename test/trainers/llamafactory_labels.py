"""What LLaMA-Factory's own converter and processor make of ShareGPT files, under its template for Qwen.

Arguments: the tokenizer's folder and a JSONL of one record a trained turn. Prints, record by record, the text that has a
loss with `mask_history`, and how many records were skipped.
"""

import importlib
import importlib.machinery
import importlib.util
import json
import os
import sys
import tempfile
import types

import datasets
from transformers import AutoTokenizer

# It wants the transformers of the day of its release.
os.environ["DISABLE_VERSION_CHECK"] = "1"

# The package's `data` imports its collators, and those what trains images and sound: only what reads text is wanted.
sys.modules["torchaudio"] = types.ModuleType("torchaudio")
sys.modules["torchaudio"].__spec__ = importlib.machinery.ModuleSpec("torchaudio", None)
package = types.ModuleType("llamafactory.data")
package.__path__ = [os.path.join(os.path.dirname(importlib.util.find_spec("llamafactory").origin), "data")]
importlib.import_module("llamafactory")
sys.modules["llamafactory.data"] = package

from llamafactory.data.converter import get_dataset_converter  # noqa: E402
from llamafactory.data.parser import DatasetAttr  # noqa: E402
from llamafactory.data.processor.supervised import SupervisedDatasetProcessor  # noqa: E402
from llamafactory.data.template import get_template_and_fix_tokenizer  # noqa: E402
from llamafactory.hparams.data_args import DataArguments  # noqa: E402


def main(folder, path):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    arguments = DataArguments(template="qwen", mask_history=True, cutoff_len=131_072)
    template = get_template_and_fix_tokenizer(tokenizer, arguments)
    converter = get_dataset_converter("sharegpt", DatasetAttr("file", "rows", formatting="sharegpt"), arguments)
    processor = SupervisedDatasetProcessor(template=template, tokenizer=tokenizer, processor=None, data_args=arguments)
    with tempfile.TemporaryDirectory() as cache:
        rows = datasets.load_dataset("json", data_files=path, split="train", cache_dir=cache)
        converted = [converter(row) for row in rows]
    examples = {key: [row[key] for row in converted] for key in converted[0]}
    made = processor.preprocess_dataset(examples)
    texts = [tokenizer.decode([label for label in labels if label != -100]) for labels in made["labels"]]
    print(json.dumps({"texts": texts, "skipped": sum(not row["_prompt"] for row in converted)}))


main(*sys.argv[1:])
