"""Tests of the only writer of files, on real folders."""
