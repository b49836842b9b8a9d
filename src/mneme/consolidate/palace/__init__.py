"""The palace: long-term memory laid out by time, by project, by technology, and by dimensions of one's own.

`views` sorts pieces into views, `dimension` is the query that a dimension of one's own is, `page` prints a view, and
`plan` says which files change. A view is derived: what a person writes around its marks stays.
"""
