"""Speed, measured side by side: each figure as a ratio against the thing it is compared with, in one run."""
