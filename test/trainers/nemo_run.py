"""Sends a row to `POST /run` and reads the answer with NeMo Gym's own models: `nemo_run.py URL ROW`."""

import importlib.metadata
import json
import os
import sys
from urllib.request import Request, urlopen

from absent import stand_in

# Before what is absent is stood in for.
import aiohttp  # noqa: F401
import openai.types.responses  # noqa: F401
import requests  # noqa: F401
from pydantic import BaseModel, ValidationError


SERVERS = {"ray", "hydra", "omegaconf", "fastapi", "starlette", "itsdangerous", "orjson", "scipy", "wandb", "httptools", "pandas", "pydot"}
SERVERS |= {"gprof2dot", "yappi", "opentelemetry", "datasets", "mlflow"}


stand_in(SERVERS.__contains__)
version = importlib.metadata.version
importlib.metadata.version = lambda name: "0" if name in SERVERS else version(name)

from nemo_gym.failure_kinds import FAILURE_KINDS  # noqa: E402
from nemo_gym.openai_utils import NeMoGymResponse, NeMoGymResponseCreateParamsNonStreaming  # noqa: E402

url, row = sys.argv[1:]
headers = {"Authorization": f"Bearer {os.environ['POINTSMAN_SERVE_TOKEN']}"}
with urlopen(Request(f"{url}/run", row.encode(), headers), timeout=300) as answer:
    body = json.load(answer)


class Verify(BaseModel):
    """The fields of `BaseVerifyResponse` that a collector reads."""

    responses_create_params: NeMoGymResponseCreateParamsNonStreaming
    response: NeMoGymResponse
    reward: float | None
    mask_sample: bool
    failure_kind: str | None
    failure_reason: str | None


try:
    read = Verify.model_validate(body)
except ValidationError as error:
    sys.exit(str(error))
items = [
    [type(item).__name__, len(getattr(item, "generation_token_ids", [])), len(getattr(item, "generation_log_probs", []))]
    for item in read.response.output
]
known = read.failure_kind is None or read.failure_kind in FAILURE_KINDS
print(json.dumps({"items": items, "reward": read.reward, "masked": read.mask_sample, "known_kind": known}))
