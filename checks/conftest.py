"""Settings of the tests of the package: stored bytecode, Ctrl-C, repeatable examples."""

import tests.conftest  # noqa: F401
