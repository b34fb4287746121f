"""Rules on a layout, compiled to tables once: see `Problem`."""
