"""The cells of a workspace: `load` reads them, `ids` numbers them, `plan` says what happens to one."""
