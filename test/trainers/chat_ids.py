"""Ids that transformers gives for whole conversations under their chat template.

Arguments: the tokenizer's folder and a JSONL with `messages` and `tools`. Prints a list of lists of ids.
"""

import json
import sys

from transformers import AutoTokenizer


def as_called(message):
    """Arguments as an object, as servers hand them to templates."""
    calls = message.get("tool_calls")
    if not calls:
        return message
    parsed = [
        {**call, "function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}
        for call in calls
    ]
    return {**message, "tool_calls": parsed}


def main(folder, path):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    ids = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            messages = [as_called(message) for message in row["messages"]]
            tools = json.loads(row["tools"]) or None
            ids.append(tokenizer.apply_chat_template(messages, tools=tools, tokenize=True, return_dict=False))
    print(json.dumps(ids))


main(*sys.argv[1:])
