"""Reads what Pointsman stored, and asks `pointsman serve` for rollouts. It computes nothing that Pointsman does."""

from .datasets import DataSet
from .home import Home, NotFound
from .rollouts import Rollouts
from .trainer import Refused, Rollout, Trainer, Unreachable
from .trajectory import Step, Trajectory

__all__ = ["DataSet", "Home", "NotFound", "Refused", "Rollout", "Rollouts", "Step", "Trainer", "Trajectory", "Unreachable"]
