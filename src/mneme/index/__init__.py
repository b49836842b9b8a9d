"""What is derived from the files: words and vectors to search by, ranks, and nothing that a file does not say."""
