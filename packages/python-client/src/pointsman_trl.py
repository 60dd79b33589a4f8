"""Data sets of Pointsman for TRL's trainers that take rollouts from a queue (trl 1.16, `trl.experimental`).

    AsyncGRPOTrainer(..., rollout_worker=grpo("train.skyrl.jsonl"), weight_transfer=NoTransfer())
    AsyncDistillationTrainer(..., rollout_worker=distillation("train.distill.jsonl"), weight_transfer=NoTransfer())

The file is gone through again and again until `max_steps`. What was sampled stays what it was: from the second step on it is
of an older policy, which GRPO corrects for by the log-probabilities that were kept, and distillation does not need to.
"""

import json
import queue
import statistics
from itertools import cycle

import numpy as np

IGNORED = -100


def lines_of(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


class Replayed(queue.Queue):
    """A queue that is never empty: the same samples in their order, as new as the policy that trains."""

    def __init__(self, samples):
        super().__init__()
        self.version = 0
        self.waiting = len(samples)
        self.samples = cycle(samples)

    def get(self, block=True, timeout=None):
        sample = next(self.samples)
        sample.model_version = self.version
        return sample

    def qsize(self):
        return self.waiting


class ReplayWorker:
    """TRL's `RolloutWorkerProtocol` over samples that are there."""

    def __init__(self, samples):
        if not samples:
            raise ValueError("the file has nothing to train on: see its data set's card for what was left out, and why")
        self.rollout_buffer = Replayed(samples)
        self.metrics_queue = queue.Queue()

    def start(self):
        pass

    def stop(self):
        pass

    def update_model_version(self, model_version):
        self.rollout_buffer.version = model_version

    def check_health(self, stale_after_s):
        pass


class NoTransfer:
    """TRL's `WeightTransferProtocol` where no server samples with the new weights."""

    def init_weight_transfer(self):
        pass

    def pause(self):
        pass

    def send_weights(self, iterator):
        for _ in iterator:
            pass

    def resume(self):
        pass

    def destroy(self):
        pass


def distillation(path):
    """A worker over a file of the format `distill`, for `beta=1`: a teacher says of the sampled tokens alone how likely they are."""
    from trl.experimental.async_distillation.async_rollout_worker import RolloutSample

    samples = []
    for number, line in enumerate(lines_of(path)):
        ids = np.asarray(line["input_ids"], dtype=np.int64)
        mask = np.asarray(line["labels"], dtype=np.int64) != IGNORED
        samples.append(
            RolloutSample(
                prompt=[],
                completion=[],
                input_ids=ids,
                completion_mask=mask.astype(np.int64),
                teacher_topk_ids=np.where(mask, ids, -1)[:, None],
                teacher_topk_logprobs=np.where(mask, line["teacher_logprobs"], -np.inf).astype(np.float32)[:, None],
                model_version=0,
                metrics={},
                teacher_id="default",
                prompt_id=number,
            )
        )
    return ReplayWorker(samples)


def grpo(path):
    """A worker over a file of the format `skyrl`: each sequence with the log-probabilities that it was sampled with.

    The advantage is the reward less the mean of its instance, over their deviation, and all sequences of a trajectory have it.
    Trajectories that are not valid have no reward: they are left out, and count in no mean.
    """
    from trl.experimental.async_grpo.async_rollout_worker import RolloutSample

    groups = {}
    for line in lines_of(path):
        if all(line["valid"]):
            groups.setdefault(line["trajectory_ids"][0]["instance_id"], []).append(line)
    samples = []
    for group, lines in enumerate(groups.values()):
        rewards = [line["rewards"][-1] for line in lines]
        mean, deviation = statistics.fmean(rewards), statistics.pstdev(rewards)
        for line, reward in zip(lines, rewards):
            for prompt, answer, mask, logprobs in zip(
                line["prompt_token_ids"], line["response_ids"], line["loss_masks"], line["rollout_logprobs"]
            ):
                before = np.zeros(len(prompt))
                samples.append(
                    RolloutSample(
                        prompt=[],
                        completion=[],
                        input_ids=np.asarray(prompt + answer, dtype=np.int64),
                        completion_mask=np.concatenate([before, mask]).astype(np.int64),
                        old_log_probs=np.concatenate([before, logprobs]).astype(np.float32),
                        advantage=(reward - mean) / (deviation + 1e-4),
                        model_version=0,
                        group_id=group,
                        metrics={},
                    )
                )
    return ReplayWorker(samples)
