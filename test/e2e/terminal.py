"""Runs a command with a terminal as its stderr, and passes on what it writes there."""

import os
import pty
import signal
import subprocess
import sys

main, side = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stderr=side)
os.close(side)
signal.signal(signal.SIGTERM, lambda *_: child.terminate())
while True:
    try:
        text = os.read(main, 4096)
    except OSError:
        break
    os.write(2, text)
sys.exit(child.wait())
