"""Install MiniZinc, and check the installation."""
