"""Fuzz the readers with atheris, guided by coverage, bytes and structure of the input.

    python -m tests.fuzz --seconds 60        every reader, this long each

Each reader runs in a separate process under limits on time for one input and on memory. An input that
breaks it is kept in ``tests/fuzz/found/READER`` and belongs into ``SEEDS`` of `tests.fuzz.readers` after the
fix. The corpus in ``tests/fuzz/corpus/READER`` makes the next run start where this one ended.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from random import Random

HERE = Path(__file__).parent


def main() -> None:
    """Run every reader, or be the process of one."""
    if sys.argv[1:2] == ["--one"]:
        _fuzz(sys.argv[2], sys.argv[3:])
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("readers", nargs="*", help="which; all if none is named")
    parser.add_argument("--seconds", type=int, default=60, help="for each")
    options = parser.parse_args()
    from tests.fuzz.readers import READERS

    failed = [name for name in options.readers or READERS if not _run(name, options.seconds)]
    if failed:
        sys.exit(f"broken: {', '.join(failed)}; the inputs are in {HERE / 'found'}")


def _run(name: str, seconds: int) -> bool:
    """Fuzz one reader in its own process.

    Say how many inputs it took, and return whether none broke it.
    """
    from tests.fuzz.readers import MEGABYTES, MORE_SECONDS, MORE_WORDS, SECONDS, SEEDS, WORDS

    corpus, broken = HERE / "corpus" / name, HERE / "found" / name
    for folder in (corpus, broken):
        folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[name]):
        (corpus / f"seed-{number}").write_bytes(seed)
    longest = MORE_SECONDS.get(name, SECONDS)
    limits = [f"-max_total_time={seconds}", f"-timeout={longest:.0f}", f"-rss_limit_mb={MEGABYTES}"]
    words = HERE / "corpus" / f"{name}.words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in [*WORDS, *MORE_WORDS.get(name, ())]))
    limits += [f"-dict={words}", "-max_len=70000", f"-artifact_prefix={broken}/"]
    limits += ["-print_final_stats=1", "-verbosity=1"]
    command = [sys.executable, "-m", "tests.fuzz", "--one", name, *limits, str(corpus)]
    result = subprocess.run(
        command, cwd=HERE.parents[1], capture_output=True, text=True, errors="replace", check=False
    )
    figures = dict(
        line.removeprefix("stat::").split(":")
        for line in result.stderr.splitlines()
        if line.startswith("stat::")
    )
    tried, memory = (figures.get(key, "?").strip() for key in ("number_of_executed_units", "peak_rss_mb"))
    print(
        f"{name:10}{tried:>12} inputs, at most {memory} MB: {'fine' if not result.returncode else 'BROKEN'}"
    )
    if result.returncode:
        print(result.stderr[-6000:], file=sys.stderr)
    return result.returncode == 0


def _escaped(word: str) -> str:
    """Return a word as libFuzzer's dictionaries have it."""
    return "".join(letter if letter.isalnum() else f"\\x{ord(letter):02x}" for letter in word)


def _fuzz(name: str, options: list[str]) -> None:
    import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

    with atheris.instrument_imports(include=["catan_cp", "json", "tomllib", "re"]):
        from tests.fuzz import readers, structure

    def change(data: bytes, most: int, seed: int) -> bytes:
        """Change a document by its structure, or, as often, bytes as libFuzzer does."""
        rng = Random(seed)
        if name in structure.FORMS and rng.random() < 0.5:
            document = structure.changed(name, data, rng)
            if len(document) <= most:
                return document
        mutated: bytes = atheris.Mutate(data, most)
        return mutated

    def read(data: bytes) -> None:
        readers.feed(name, data)

    atheris.Setup([name, *options], read, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
