"""The recipes for servers and other programs, each run as a user runs it."""

import asyncio
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

import pytest

from catan_cp import Board, Rules, generate_board
from examples.recipes import asyncio_boards, chat_bot
from examples.recipes.threads import BoardStream

ROOT = Path(__file__).parents[1]


def run(*arguments: str) -> str:
    """Run a program in the folder of the project, and return its output."""
    result = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


async def get(app, path, **query):
    """Return the status and the body of a request to an ASGI application, without a network."""
    sent = []
    scope = {"type": "http", "method": "GET", "path": path, "headers": [], "http_version": "1.1"}
    scope["query_string"] = urlencode(query).encode()

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent).decode()


def test_fastapi_serves_boards_and_pictures():
    pytest.importorskip("fastapi", reason="needs fastapi: pip install fastapi")
    from examples.recipes.fastapi_app import app

    async def requests():
        answers = await asyncio.gather(*(get(app, "/board", seed=seed) for seed in range(16)))
        _, first = answers[0]
        return answers, [
            await get(app, "/board.svg", board=json.loads(first)["board"]),
            await get(app, "/board.svg", board="xyz"),
            await get(app, "/board", rules="unknown"),
            await get(app, "/board", rules="optimal"),
        ]

    answers, (picture, *wrong, optimal) = asyncio.run(requests())
    boards = [json.loads(body)["board"] for _, body in answers]
    assert boards == [generate_board("tournament", seed=seed).notation() for seed in range(16)]
    assert picture[0] == 200
    assert "<svg" in picture[1]
    assert [status for status, _ in wrong] == [422, 422]
    assert not Rules.preset("optimal").check(Board.from_notation(json.loads(optimal[1])["board"]))


def test_asyncio_returns_pictures_in_order():
    pictures = asyncio.run(asyncio_boards.pictures(range(6)))
    assert pictures == [asyncio_boards.picture(seed) for seed in range(6)]


def test_threads_share_stream():
    stream = BoardStream("open")
    with ThreadPoolExecutor(8) as pool:
        boards = list(pool.map(lambda _: next(stream), range(400)))
    assert len(set(boards)) == 400


@pytest.mark.parametrize(
    ("recipe", "output"),
    [
        ("threads", "200 boards, 200 different"),
        ("processes", "bytes of PNG"),
        ("asyncio_boards", "20 pictures"),
    ],
)
def test_recipes_run_as_programs(recipe, output):
    assert output in run("-m", f"examples.recipes.{recipe}")


def test_chat_bot_answers_every_message():
    board = chat_bot.answer("board 7")
    assert Board.from_notation(board.text) == generate_board("tournament", seed=7)
    assert "<svg" in (board.picture or "")
    assert chat_bot.answer(f"rate {board.text}").text.startswith("efficiency error 0.0")
    assert chat_bot.answer("rate o10w2").text.startswith("Sorry: ")
    assert chat_bot.answer("board " + "9" * 9999).picture
    assert (
        chat_bot.answer("").text == chat_bot.answer("hello").text == "Commands: board [seed], rate NOTATION"
    )


def test_fixtures_work():
    assert "5 passed" in run("-m", "pytest", "-q", "-p", "no:cacheprovider", "examples/recipes")
