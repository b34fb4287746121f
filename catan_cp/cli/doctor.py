"""catan-cp doctor."""

from __future__ import annotations

from typing import Annotated

import typer

from catan_cp.cli.terminal import say


def add_to(app: typer.Typer) -> None:
    """Add this command to *app*."""
    app.command()(doctor)


def doctor(
    install: Annotated[
        bool, typer.Option("--install", help="Bring a private copy of MiniZinc, Gecode and Chuffed (Debian).")
    ] = False,
) -> None:
    """Say what is here and what is missing: MiniZinc, its solvers, the models.

    [bold]catan-cp doctor --install[/bold]  brings MiniZinc without root, into your cache folder
    """
    from catan_cp.setup.doctor import examine

    if install:
        from catan_cp.setup.install import install_private_copy

        install_private_copy(say)
    report = examine()
    print(report.text())
    if not report.ok:
        say("catan-cp: something is missing; the lines above say what brings it")
        raise typer.Exit(1)
