"""Active Memory: what memory says of its own accord before the model answers, or nothing.

`settings` are the published ones with their ranges, `scope` says in which chats it speaks, `question` makes a question
of the conversation, `summary` makes a few quotes of what was found, `breaker` keeps it from being a burden, and `writer`
lets a language model write the summary, where one is set. Nothing here writes.
"""
