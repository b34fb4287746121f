"""What the pages are made with."""
