"""Proof by crashes: the shipped command is killed, cut off from power and lied to by the disk, then reopened."""
