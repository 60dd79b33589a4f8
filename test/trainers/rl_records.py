"""Reads records for reinforcement learning with the packages that they are for.

Arguments: JSONL files of nemo-gym, skyrl, verifiers and atif. Prints what each package makes of them: for every sequence its
ids, which of them were sampled, and their log-probabilities.
"""

import json
import sys

from absent import stand_in

# Before what is absent is stood in for.
from harbor.models.trajectories import Trajectory
from nemo_gym.token_id_capture.builder import prefix_merging
from nemo_gym.token_id_capture.records import TokenEntry, compute_digest
from verifiers.v1.trace import WireTrace


stand_in(lambda package: package != "skyrl")

from skyrl.train.generators.base import GeneratorOutput, TrajectoryID  # noqa: E402
from skyrl.train.utils.trainer_utils import validate_generator_output  # noqa: E402


def records(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def sequence(ids, mask, logprobs):
    return {"ids": ids, "mask": [int(each) for each in mask], "logprobs": logprobs}


def nemo_gym(path):
    rollouts = {}
    for record in records(path):
        entry = TokenEntry.model_validate(record)
        assert entry.digest == compute_digest(entry.prompt_token_ids + entry.generation_token_ids)
        assert entry.cum_len == len(entry.prompt_token_ids) + len(entry.generation_token_ids)
        again = json.loads(entry.model_dump_json())
        assert all(again[name] == value for name, value in record.items()), "not what was written"
        rollouts.setdefault(entry.rollout_id, []).append(entry)
    found = {}
    for rollout, entries in rollouts.items():
        built = prefix_merging(entries)
        assert not built.quarantined and not built.notes.parent_link_failures, built.notes
        chains = []
        for chain in built.chains:
            chain.validate()
            ids, mask, logprobs = list(chain.root_prompt), [0] * len(chain.root_prompt), [0] * len(chain.root_prompt)
            for link in chain.links:
                ids += link.interstitial + link.entry.generation_token_ids
                mask += [0] * len(link.interstitial) + [1] * len(link.entry.generation_token_ids)
                logprobs += [0] * len(link.interstitial) + link.entry.generation_log_probs
            chains.append((len(chain.root_prompt), chain.links[0].entry.created_at, sequence(ids, mask, logprobs)))
        found[rollout] = [each for _, _, each in sorted(chains, key=lambda chain: chain[1])]
    return found


def skyrl(path):
    found = {}
    for record in records(path):
        output = {name: value for name, value in record.items() if name in GeneratorOutput.__annotations__}
        output["trajectory_ids"] = [TrajectoryID(**each) for each in record["trajectory_ids"]]
        validate_generator_output(1, output, step_wise=True)
        if len(output["response_ids"]) == 1:
            validate_generator_output(1, output)
        found[record["id"]] = [
            sequence(prompt + ids, [0] * len(prompt) + mask, [0] * len(prompt) + logprobs)
            for prompt, ids, mask, logprobs in zip(
                record["prompt_token_ids"], record["response_ids"], record["loss_masks"], record["rollout_logprobs"]
            )
        ]
    return found


def verifiers(path):
    found = {}
    for record in records(path):
        trace = WireTrace.model_validate(record)
        again = trace.to_record(float_decimals=None)
        assert [node["token_ids"] for node in again["nodes"]] == [node["token_ids"] for node in record["nodes"]]
        assert [node["logprobs"] for node in again["nodes"]] == [node["logprobs"] for node in record["nodes"]]
        assert trace.ok == record["valid"] and len(trace.errors) == (0 if trace.ok else 1)
        rewards = [None if reward is None else reward.value for reward in trace.rewards.values()]
        assert rewards == [None if reward is None else reward["score"] for reward in record["rewards"].values()]
        found[record["info"]["id"]] = [
            sequence(branch.token_ids, branch.sampled_mask, branch.logprobs) for branch in trace.branches
        ]
    return found


def atif(path):
    found = {}
    for record in records(path):
        document = Trajectory.model_validate(record)
        assert document.to_json_dict() == json.loads(json.dumps(record)), "not what was written"
        found[document.trajectory_id] = [
            sequence(
                step.metrics.prompt_token_ids + step.metrics.completion_token_ids,
                [0] * len(step.metrics.prompt_token_ids) + [1] * len(step.metrics.completion_token_ids),
                [0] * len(step.metrics.prompt_token_ids) + step.metrics.logprobs,
            )
            for step in document.steps
            if step.metrics is not None and step.metrics.prompt_token_ids is not None and not step.is_copied_context
        ]
    return found


def main(nemo_gym_file, skyrl_file, verifiers_file, atif_file):
    print(
        json.dumps(
            {
                "nemo-gym": nemo_gym(nemo_gym_file),
                "skyrl": skyrl(skyrl_file),
                "verifiers": verifiers(verifiers_file),
                "atif": atif(atif_file),
            }
        )
    )


main(*sys.argv[1:])
