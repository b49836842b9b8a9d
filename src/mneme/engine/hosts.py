"""What reaches outside a workspace: merging files for git, and installing into the programs that mneme works with."""

from mneme.hosts import HOSTS, Installation, Wish, plan_host
from mneme.hosts.timers import TIMERS, plan_timer
from mneme.hosts.timers import put_in_place as put_timer
from mneme.memory.merge import MergedFile, merge_files

__all__ = [
    "HOSTS",
    "TIMERS",
    "Installation",
    "MergedFile",
    "Wish",
    "merge_files",
    "plan_host",
    "plan_timer",
    "put_timer",
]
