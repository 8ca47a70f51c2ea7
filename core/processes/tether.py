"""Run as a script: becomes the program in its arguments, and dies with the process that started
it, even by kill -9. Linux knows how; elsewhere a killed supervisor leaves its children."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

if sys.platform == "linux":
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(sys.argv[1]):
        sys.exit(1)  # it died while this script was starting
os.execvp(sys.argv[2], sys.argv[2:])
