"""`python -m mneme.hooks.user_prompt_submit`: Claude Code's event UserPromptSubmit, answered in plain text."""

import sys

from mneme.hooks.call import main

if __name__ == "__main__":
    main(["plain", "UserPromptSubmit", *sys.argv[1:]])
