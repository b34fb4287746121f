"""Analysis of boards that reports, studies and tournaments share."""
