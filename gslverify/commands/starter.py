"""The files of a project to start with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distribution, version
from pathlib import Path
from subprocess import CalledProcessError, run
from urllib.parse import urlsplit
from urllib.request import url2pathname

from gslverify.atomic import write_whole
from gslverify.project import SETTINGS_FILE, has_own_table

STARTER = "rules"

SETTINGS = """\
[tool.gslverify]
rules = ["rules"]

[tool.gslverify.profiles.ci]
budget = "20m"

[tool.gslverify.profiles.nightly]
max-examples = 1000
seed = "random"
"""

RULE = '''\
"""Rules of this project: each function under @rule writes one down."""

from gsl import Subst, op, pat, rule


@rule(tags={"activation"})
def relu_twice() -> Subst:
    """relu(relu(x))  =>  relu(x)

    What is not negative stays as it is.
    """
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))
'''

GITHUB = """\
name: rules
on:
  push:
  pull_request:
  schedule:
    - cron: "17 3 * * *"
permissions:
  contents: read
  security-events: write
jobs:
  verify:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: { python-version: "3.11" }
      - uses: actions/cache/restore@v4
        with:
          path: .gslverify/cache
          key: gslverify-${{ github.run_id }}
          restore-keys: gslverify-
      - run: pip install "REQUIREMENT"
      # Known failures: `gslverify baseline write rules --baseline rules-baseline.json`.
      - run: >
          gslverify check
          --profile ${{ github.event_name == 'schedule' && 'nightly' || 'ci' }}
          ${{ hashFiles('rules-baseline.json') && '--baseline rules-baseline.json' || '' }}
          --report github=/dev/stdout --report sarif=gslverify.sarif
      # Also where something was found: the next run has to look at what was changed only.
      - uses: actions/cache/save@v4
        if: always()
        with:
          path: .gslverify/cache
          key: gslverify-${{ github.run_id }}-${{ github.run_attempt }}
      - uses: github/codeql-action/upload-sarif@v3
        if: always()
        with: { sarif_file: gslverify.sarif }
"""

GITLAB = """\
rules:
  image: python:3.11
  cache:
    key: gslverify
    paths: [.gslverify/cache]
    when: always
  script:
    - pip install "REQUIREMENT"
    # A schedule of the project runs every night what takes longer.
    - test "$CI_PIPELINE_SOURCE" = schedule && profile=nightly || profile=ci
    # Known failures: `gslverify baseline write rules --baseline rules-baseline.json`.
    - test -f rules-baseline.json && known="--baseline rules-baseline.json" || known=""
    - >
      gslverify check --profile $profile $known
      --report gitlab=gl-code-quality.json --report junit=junit.xml
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality.json
      junit: junit.xml
"""

REQUIREMENT = "REQUIREMENT"
"""What stands in jobs for the requirement that installs this very package."""

JOBS = {
    "github": (".github/workflows/rules.yml", GITHUB),
    "gitlab": (".gitlab-ci.yml", GITLAB),
}


def requirement(folder: Path) -> str:
    """Return what pip has to be told to install this package again, with TVM, in `folder`.

    It is the revision of a repository, the address or the path in the project that it came from, if
    it came so, else the version.
    """
    name = "gslverify[tvm]"
    url, source = _origin()
    path = _local(url)
    if path is not None and path.is_relative_to(folder.resolve()):
        return f"./{path.relative_to(folder.resolve()).as_posix()}[tvm]"
    if path is not None and (revision := _revision(path)):
        return f"{name} @ git+{revision}"
    if source:
        return f"{name} @ {source['vcs']}+{url}@{source['commit_id']}"
    if url.startswith("https:"):
        return f"{name} @ {url}"
    return f"{name}=={version('gslverify')}"


def local_origin(folder: Path) -> str:
    """Return the folder or file that this package came from, if jobs of `folder` have none such."""
    path = _local(_origin()[0])
    return str(path) if path is not None and "==" in requirement(folder) else ""


def _local(url: str) -> Path | None:
    """Return the path that an address of this machine names."""
    return Path(url2pathname(urlsplit(url).path)) if url.startswith("file:") else None


def _revision(path: Path) -> str:
    """Return where others find what a working copy has checked out, "" if that is not known."""
    try:
        remote = urlsplit(_git(path, "config", "--get", "remote.origin.url"))
        commit, _, inner = _git(path, "rev-parse", "HEAD", "--show-prefix").partition("\n")
        is_there = _git(path, "branch", "--remotes", "--contains", commit)
    except (OSError, CalledProcessError):
        return ""
    if remote.scheme != "https" or not is_there:
        return ""
    within = f"#subdirectory={inner.rstrip('/')}" if inner else ""
    # Never with a name or a password that stands in it.
    return f"https://{remote.hostname}{remote.path}@{commit}{within}"


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return run(command, capture_output=True, text=True, check=True).stdout.strip()


def _origin() -> tuple[str, dict[str, str]]:
    found = json.loads(distribution("gslverify").read_text("direct_url.json") or "{}")
    return found.get("url", ""), found.get("vcs_info", {})


@dataclass(frozen=True, slots=True)
class Part:
    """A file of the project; one that is there already has no text and stays as it is."""

    path: str
    text: str
    is_addition: bool = False

    def write(self, folder: Path) -> None:
        """Write the file below `folder`, or add to it; as a whole or not at all.

        Raises OSError.
        """
        if not self.text:
            return
        path = folder / self.path
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_bytes() if self.is_addition else b""
        write_whole(path, before + self.text.encode())


def parts_for(folder: Path, ci: str) -> list[Part]:
    """Return what `folder` lacks, and with no text what it has."""
    return list(_parts(folder, ci))


def _parts(folder: Path, ci: str) -> Iterator[Part]:
    settings = folder / SETTINGS_FILE
    if not settings.exists():
        yield Part(SETTINGS_FILE, SETTINGS)
    elif has_own_table(settings):
        yield Part(SETTINGS_FILE, "")
    else:
        yield Part(SETTINGS_FILE, f"\n{SETTINGS}", is_addition=True)
    files = [(f"{STARTER}/activation.py", RULE)]
    if ci in JOBS:
        path, text = JOBS[ci]
        files.append((path, text.replace(REQUIREMENT, requirement(folder))))
    for path, text in files:
        yield Part(path, "" if (folder / path).exists() else text)
