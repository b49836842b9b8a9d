"""What reaches outside a workspace: merging files for git, and installing into the programs that mneme works with."""

from mneme.hosts import HOSTS, Installation, plan_host
from mneme.memory.merge import MergedFile, merge_files

__all__ = ["HOSTS", "Installation", "MergedFile", "merge_files", "plan_host"]
