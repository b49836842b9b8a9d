"""`python -m mneme.hooks.post_tool_use`: Claude Code's event PostToolUse, answered in plain text."""

import sys

from mneme.hooks.call import main

if __name__ == "__main__":
    main(["plain", "PostToolUse", *sys.argv[1:]])
