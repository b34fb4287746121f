"""What all tests share."""

import signal

# Started in the background, a process is told to ignore Ctrl-C, and so would be every process that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
