"""The experiments of the published works, on these boards and on others."""
