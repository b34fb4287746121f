"""QR codes of addresses, for terminals and for paper; the package segno knows how."""

from __future__ import annotations

from catan_cp.errors import CatanError


def qr_modules(address: str) -> list[list[int]]:
    """Return the rows of a QR code's modules, 1 where dark, with the white border that readers need.

    Raises:
        CatanError: the package segno is missing.
    """
    try:
        import segno
    except ModuleNotFoundError:
        raise CatanError("no QR code can be drawn without the package segno: pip install segno") from None
    return [list(row) for row in segno.make(address, error="l", micro=False).matrix_iter(border=4)]
