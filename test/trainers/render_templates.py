"""Texts that transformers gives for conversations under the chat templates that TRL ships.

Argument: a JSON list of objects with `template` (a file name), `messages`, `tools` and `arguments` (`object` or `text`), or
nothing to list the templates. Prints a list of texts (null where the template refuses), or an object of templates.
"""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

from transformers.utils.chat_template_utils import render_jinja_template

FOLDER = Path(find_spec("trl").submodule_search_locations[0]) / "chat_templates"
SPECIAL = {"bos_token": "<bos>", "eos_token": "<eos>"}


def template(name):
    return (FOLDER / name).read_bytes().decode("utf-8")


def as_given(message, arguments):
    calls = message.get("tool_calls")
    if not calls or arguments == "text":
        return message
    parsed = [
        {**call, "function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}
        for call in calls
    ]
    return {**message, "tool_calls": parsed}


def rendered(row):
    messages = [as_given(message, row["arguments"]) for message in row["messages"]]
    try:
        texts, _ = render_jinja_template([messages], tools=row["tools"], chat_template=template(row["template"]), **SPECIAL)
    except Exception:
        return None
    return texts[0]


if len(sys.argv) == 1:
    print(json.dumps({path.name: template(path.name) for path in sorted(FOLDER.glob("*.jinja"))}))
else:
    print(json.dumps([rendered(row) for row in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))]))
