"""The commands of `gslverify`, each in a module that is loaded when it is called."""

from __future__ import annotations

COMMANDS = {
    "check": ("gslverify.commands.check:check", "Verify rules and report what was found."),
    "list": ("gslverify.commands.list_rules:list_command", "List rules, or the operators."),
    "show": ("gslverify.commands.show:show", "Show the source and the target of a rule."),
    "adapt": ("gslverify.commands.adapt:adapt", "Verify the rules of another library."),
    "why": ("gslverify.commands.why:why", "Tell why a rule does not match in a graph."),
    "schema": ("gslverify.commands.schema:schema", "Print the JSON Schema of a kind of file."),
    "baseline": ("gslverify.commands.baseline:baseline", "Known results: write, update, accept."),
    "compare": ("gslverify.commands.compare:compare", "What changed between two reports."),
    "merge": ("gslverify.commands.merge:merge", "The reports of all shards as one."),
    "repro": ("gslverify.commands.repro:repro", "Run a stored counterexample again."),
    "cache": ("gslverify.commands.cache:cache", "Results of earlier runs: info, clear."),
    "mutate": ("gslverify.commands.mutate:mutate", "Break rules and see how much is noticed."),
    "bench": ("gslverify.commands.bench:bench", "How long verifying takes, and where."),
    "init": ("gslverify.commands.init:init", "Show or write a project to start with."),
    "explain": ("gslverify.commands.explain:explain", "Explain a code."),
}
"""Where each command is, and its line in the help of all."""
