"""Validates a fine-tuning file against the types of the openai package.

Arguments: a JSONL. Prints how many messages and tools were valid. What `weight` is, its types do not say.
"""

import json
import sys
from typing import List

from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from pydantic import TypeAdapter


def forced(value):
    """Iterables are validated when they are read."""
    if isinstance(value, dict):
        return {key: forced(inner) for key, inner in value.items()}
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        return value
    return [forced(inner) for inner in value]


def main(path):
    messages = TypeAdapter(List[ChatCompletionMessageParam])
    tools = TypeAdapter(List[ChatCompletionToolParam])
    counts = {"messages": 0, "tools": 0}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            for message in row["messages"]:
                if "weight" in message:
                    assert message["role"] == "assistant" and message.pop("weight") in (0, 1)
            given = row["messages"]
            assert forced(messages.validate_python(given)) == given
            counts["messages"] += len(given)
            if "tools" in row:
                forced(tools.validate_python(row["tools"]))
                counts["tools"] += len(row["tools"])
    print(json.dumps(counts))


main(*sys.argv[1:])
