"""What the commands do, each in a module that is loaded when it is run.

`gslverify.commands` has their parameters and their help, for which nothing here is needed.
"""
