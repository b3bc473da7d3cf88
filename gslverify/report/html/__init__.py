"""The report as one static page: no request, no script needed to read it, equal bytes again.

Needs the extra `report` for its templates.
"""
