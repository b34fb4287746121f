"""Boards and pictures over HTTP: ``uvicorn examples.recipes.fastapi_app:app``.

This needs ``pip install fastapi uvicorn``. FastAPI runs functions without ``async`` in threads, so a long
request does not block the others.
"""

from typing import Annotated, Literal

from fastapi import FastAPI, HTTPException, Query, Response

from catan_cp import Board, CatanError, board_svg, generate_board

Preset = Literal["tournament", "optimal", "official", "open"]

app = FastAPI(title="Catan boards")


@app.get("/board")
def board(rules: Preset = "tournament", seed: int | None = None) -> dict[str, str]:
    """Return the notation of a board. The method ``uniform`` starts no solver."""
    return {"board": generate_board(rules, seed=seed, method="uniform").notation()}


@app.get("/board.svg")
def picture(board: Annotated[str, Query(max_length=500)]) -> Response:
    """Return the picture of a notation."""
    try:
        return Response(board_svg(Board.from_notation(board)), media_type="image/svg+xml")
    except CatanError as error:
        raise HTTPException(422, str(error)) from None
