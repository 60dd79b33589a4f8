"""A server like vLLM over a tiny model: what it says is a scripted server's, its ids and log-probabilities are real.

`tiny_server.py PORT REHEARSAL_URL NAME=FOLDER…`: for each model the folder of a checkpoint with its tokenizer. Answers
`/v1/chat/completions` with `prompt_token_ids`, `token_ids` and `logprobs`, and `/v1/completions` with `prompt_logprobs`.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

ASKS = {"logprobs", "top_logprobs", "return_token_ids", "return_prompt_token_ids", "return_meta_info"}
lock = threading.Lock()


class Model:
    def __init__(self, folder):
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForCausalLM.from_pretrained(folder).eval()

    def logprobs(self, ids):
        """Of each id but the first, behind all before it."""
        with lock, torch.no_grad():
            logits = self.model(torch.tensor([ids])).logits[0, :-1].float()
        return torch.log_softmax(logits, -1).gather(-1, torch.tensor(ids[1:])[:, None])[:, 0].tolist()

    def prompt(self, messages, tools):
        plain = [as_called(message) for message in messages]
        return self.tokenizer.apply_chat_template(
            plain, tools=tools, add_generation_prompt=True, tokenize=True, return_dict=False
        )

    def answer(self, message):
        """As the chat template writes a turn, with the token that ends it."""
        calls = "".join(
            '\n<tool_call>\n{"name": "%s", "arguments": %s}\n</tool_call>'
            % (call["function"]["name"], json.dumps(json.loads(call["function"]["arguments"]), ensure_ascii=False))
            for call in message.get("tool_calls") or []
        )
        return self.tokenizer.encode((message["content"] or "") + calls + "<|im_end|>", add_special_tokens=False)


def as_called(message):
    calls = [
        {**call, "function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}
        for call in message.get("tool_calls") or []
    ]
    return {**message, "content": message.get("content") or "", **({"tool_calls": calls} if calls else {})}


def chat(model, body, rehearsal):
    asked = {name: value for name, value in body.items() if name not in ASKS}
    request = Request(f"{rehearsal}/chat/completions", json.dumps(asked).encode(), {"Content-Type": "application/json"})
    with urlopen(request) as answer:
        completion = json.load(answer)
    choice = completion["choices"][0]
    prompt, ids = model.prompt(body["messages"], body.get("tools")), model.answer(choice["message"])
    logprobs = model.logprobs(prompt + ids)[len(prompt) - 1 :]
    content = [{"token": model.tokenizer.decode([i]), "logprob": l, "top_logprobs": []} for i, l in zip(ids, logprobs)]
    usage = {"prompt_tokens": len(prompt), "completion_tokens": len(ids), "total_tokens": len(prompt) + len(ids)}
    choice = {**choice, "token_ids": ids, "logprobs": {"content": content}}
    return {**completion, "choices": [choice], "prompt_token_ids": prompt, "usage": usage}


def score(model, body):
    ids = body["prompt"]
    scores = [
        {str(i): {"logprob": logprob, "rank": 1, "decoded_token": model.tokenizer.decode([i])}}
        for i, logprob in zip(ids[1:], model.logprobs(ids))
    ]
    return {"model": body["model"], "choices": [{"index": 0, "text": "", "prompt_logprobs": [None, *scores]}]}


def main(port, rehearsal, *named):
    models = {name: Model(folder) for name, folder in (each.split("=", 1) for each in named)}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model = models[body["model"]]
            made = score(model, body) if self.path == "/v1/completions" else chat(model, body, rehearsal)
            text = json.dumps(made).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}/v1"}), flush=True)
    server.serve_forever()


main(*sys.argv[1:])
