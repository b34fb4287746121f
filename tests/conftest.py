"""What all tests share."""

import signal

# A process started in the background ignores Ctrl-C, and so would every process that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
