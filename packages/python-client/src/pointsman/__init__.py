"""Reads what Pointsman stored: trajectories, verdicts and data sets. It computes nothing that Pointsman does."""

from .datasets import DataSet
from .home import Home, NotFound
from .rollouts import Rollouts
from .trajectory import Step, Trajectory

__all__ = ["DataSet", "Home", "NotFound", "Rollouts", "Step", "Trajectory"]
