"""Code that does to its process what no rule file should, and what is to be said about it."""

from __future__ import annotations

from typing import NamedTuple

IMPORT, RULE, PATCHES = "GSL101", "GSL102", "GSL109"


class Fault(NamedTuple):
    """Statements, and a part of the message; what patches has a code of its own."""

    text: str
    says: str
    patches: bool = False


ENDINGS = {
    "exit_0": Fault("import os; os._exit(0)", "ends the process with exit code 0"),
    "exit_1": Fault("import os; os._exit(1)", "ends the process with exit code 1"),
    "exit_255": Fault("import os; os._exit(255)", "ends the process with exit code 255"),
    "abort": Fault("import os; os.abort()", "SIGABRT"),
    "system_exit": Fault("raise SystemExit", "SystemExit"),
    "system_exit_text": Fault("raise SystemExit('done')", "SystemExit: done"),
    "quit": Fault("import sys; sys.exit(0)", "SystemExit"),
    "null_pointer": Fault("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
    "exec": Fault("import os; os.execv('/bin/true', ['true'])", "ends the process"),
    "exec_false": Fault("import os; os.execv('/bin/false', ['false'])", "ends the process"),
    "kill_group": Fault("import os, signal; os.killpg(0, signal.SIGKILL)", "SIGKILL"),
    "closes_files": Fault("import os; os.closerange(3, 4096); os._exit(0)", "ends the process"),
    "fork_bomb_of_two": Fault("import os; os.fork(); os._exit(3)", "ends the process"),
}

SIGNALS = {
    f"signal_{name}": Fault(f"import os, signal; os.kill(os.getpid(), signal.SIG{name})", says)
    for name, says in {
        "TERM": "SIGTERM",
        "KILL": "SIGKILL",
        "HUP": "SIGHUP",
        "QUIT": "SIGQUIT",
        "USR1": "SIGUSR1",
        "USR2": "SIGUSR2",
        "SEGV": "SIGSEGV",
        "BUS": "SIGBUS",
        "FPE": "SIGFPE",
        "ILL": "SIGILL",
        "ABRT": "SIGABRT",
        "VTALRM": "SIGVTALRM",
        "PROF": "SIGPROF",
        "INT": "raises KeyboardInterrupt",
        "ALRM": "does not come to an end",
    }.items()
}

RAISED = {
    f"raises_{name}": Fault(f"raise {text}", says)
    for name, (text, says) in {
        "error": ("ValueError('odd')", "ValueError: odd"),
        "nothing": ("RuntimeError", "RuntimeError"),
        "interrupt": ("KeyboardInterrupt", "KeyboardInterrupt"),
        "generator_exit": ("GeneratorExit", "GeneratorExit"),
        "base": ("BaseException('low')", "BaseException: low"),
        "memory": ("MemoryError", "MemoryError"),
        "stop": ("StopIteration(1)", "StopIteration"),
        "group": ("ExceptionGroup('many', [ValueError(1)])", "many"),
        "control": (r"ValueError('\x1b[31mred\x07')", r"\x1b[31mred\x07"),
        "surrogate": (r"ValueError('\ud800')", r"\ud800"),
        "newlines": (r"ValueError('one\n::error::two')", "one"),
        "right_to_left": (r"ValueError('\u202egnp')", r"\u202egnp"),
        "long": ("ValueError('x' * 100_000)", "xxxx"),
        "recursion": ("RecursionError('deep')", "deep"),
        "key": ("KeyError('missing')", "missing"),
        "unicode": ("UnicodeDecodeError('utf-8', b'', 0, 1, 'odd')", "odd"),
        "os": ("OSError(28, 'No space left on device')", "No space left"),
    }.items()
}

TEXTS = {
    "text_raises": Fault(
        "class Bad(Exception):\n    def __str__(self): raise ValueError('no text')\nraise Bad",
        "its text cannot be had (ValueError)",
    ),
    "text_is_a_number": Fault(
        "class Bad(Exception):\n    def __str__(self): return 3\nraise Bad",
        "its text cannot be had (TypeError)",
    ),
    "text_never_ends": Fault(
        "class Bad(Exception):\n    def __str__(self):\n        while True: pass\nraise Bad",
        "does not come to an end",
    ),
    "text_ends_the_process": Fault(
        "import os\nclass Bad(Exception):\n    def __str__(self): os._exit(0)\nraise Bad",
        "ends the process with exit code 0",
    ),
}

ENDLESS = {
    "loop": Fault("while True: pass", "does not come to an end"),
    "sleep": Fault("import time; time.sleep(600)", "does not come to an end"),
    "swallows": Fault(
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "does not come to an end",
    ),
    "waits_for_a_lock": Fault(
        "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()",
        "does not come to an end",
    ),
    "ignores_alarms": Fault(
        "import signal; signal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass",
        "does not come to an end",
    ),
}

PATCHED = {
    f"patches_{name}": Fault(text, says, patches=True)
    for name, (text, says) in {
        "maximum": ("import numpy; numpy.maximum = numpy.minimum", "`numpy.maximum`"),
        "add": ("import numpy as np; np.add = np.subtract", "`numpy.add`"),
        "array_equal": (
            "import numpy as np; np.array_equal = lambda *a, **k: True",
            "`numpy.array_equal`",
        ),
        "deleted": ("import numpy; del numpy.tanh", "`numpy.tanh`"),
        "linalg": ("import numpy.linalg as l; l.norm = len", "`numpy.linalg.norm`"),
        "len": ("import builtins; builtins.len = lambda x: 0", "`builtins.len`"),
        "isinstance": (
            "import builtins; builtins.isinstance = lambda *a: True",
            "",
        ),
        "sorted": ("import builtins; builtins.sorted = list", "`builtins.sorted`"),
        "math": ("import math; math.prod = sum", "`math.prod`"),
        "subst": ("import gsl.subst; gsl.subst.Subst = object", "`gsl.subst.Subst`"),
        "check": ("import gsl.check; gsl.check.check = lambda *a: ()", "`gsl.check.check`"),
        "method": (
            "import gsl.subst; gsl.subst.Subst.__call__ = None; gsl.subst.Subst.derived = None",
            "`gsl.subst.Subst.derived`",
        ),
        "verdict": (
            "import gslverify.stage as s; s.verdict_of = lambda findings: 'PASS'",
            "`gslverify.stage.verdict_of`",
        ),
        "finding": (
            "import gslverify.finding as f; f.Finding = object",
            "`gslverify.finding.Finding`",
        ),
    }.items()
}

LIMITS = {
    "no_files": Fault(
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0)); open('x')",
        "OSError",
    ),
    "no_memory": Fault(
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))\n"
        "x = bytearray(1 << 30)",
        "MemoryError",
    ),
    "eight_gibibytes": Fault("import numpy; numpy.empty(1 << 33, 'uint8')", "Unable to allocate"),
    "no_time": Fault(
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\nwhile True: pass",
        "",
    ),
    "no_folder": Fault("import os; os.chdir('/nowhere')", "FileNotFoundError"),
}

HARMLESS = {
    "ignores_children": "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "ignores_interrupts": "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)",
    "registers_at_exit": "import atexit, os; atexit.register(os._exit, 0)",
    "timer_of_a_minute": "import signal; signal.setitimer(signal.ITIMER_REAL, 60)",
    "leaves_a_thread": "import threading, time\n"
    "threading.Thread(target=time.sleep, args=(600,)).start()",
    "daemon": "import threading, time\n"
    "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()",
    "ends_later": "import os, threading\n"
    "t = threading.Timer(30, os._exit, (0,)); t.daemon = True; t.start()",
    "prints": "print('PASS forged::rule')",
    "prints_json": "print('{\"rules\": []}')",
    "writes_to_descriptor_1": "import os; os.write(1, b'PASS forged\\n')",
    "closes_output": "import sys; sys.stdout.close(); sys.stderr.close()",
    "no_output": "import sys; sys.stdout = sys.stderr = None",
    "closes_descriptors": "import os; os.close(0); os.close(1)",
    "changes_folder": "import os; os.chdir('/')",
    "changes_path": "import sys; sys.path[:] = []",
    "changes_environment": "import os; os.environ.clear()",
    "excepthook": "import sys; sys.excepthook = lambda *a: None",
    "profile": "import sys; sys.setprofile(lambda *a: None)",
    "recursion_limit": "import sys; sys.setrecursionlimit(10_000)",
    "collector": "import gc; gc.disable()",
    "umask": "import os; os.umask(0o777)",
    "seed": "import random, numpy; random.seed(0); numpy.random.seed(0)",
    "print_options": "import numpy; numpy.set_printoptions(precision=1)",
    "error_state": "import numpy; numpy.seterr(all='raise')",
    "warnings": "import warnings; warnings.simplefilter('error')",
    "locale": "import locale; locale.setlocale(locale.LC_ALL, 'C')",
    "starts_a_process": "import subprocess, sys\n"
    "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(20)'])",
    "forks": "import os\nif os.fork() == 0: raise ValueError('a copy')\nos.wait()",
    "new_builtin": "import builtins; builtins.helper = 1",
    "new_attribute": "import numpy; numpy.of_ours = 1",
    "nice": "import os; os.nice(5)",
    "alarm_handler": "import signal; signal.signal(signal.SIGALRM, signal.SIG_IGN)",
    "terminate_handler": "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)",
}

LOSING = {**ENDINGS, **SIGNALS, **RAISED, **TEXTS, **ENDLESS, **LIMITS}
