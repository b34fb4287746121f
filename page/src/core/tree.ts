/**
 * The tree of a draft: the lines of moves that were tried. Lines that begin with the same moves share them. The first line
 * is the main line, and the first of several moves at a position is the main one.
 */

/** The maximum number of lines. */
export const MOST_LINES = 100;

export const beginsWith = (line: number[], moves: number[]): boolean =>
  moves.every((vertex, turn) => line[turn] === vertex);

/** The lines with one more, which takes the place of a line that it continues. */
export function withLine(lines: number[][], line: number[]): number[][] {
  if (!line.length || lines.some((other) => beginsWith(other, line))) return lines;
  const shorter = lines.findIndex((other) => beginsWith(line, other));
  return shorter < 0 ? [...lines, line] : lines.with(shorter, line);
}

/** The lines without the last move of a position and all that follow it. */
export const withoutMove = (lines: number[][], moves: number[]): number[][] =>
  lines.map((line) => (beginsWith(line, moves) ? moves.slice(0, -1) : line)).reduce(withLine, []);

/** The lines with those through a position first. */
export const withMain = (lines: number[][], moves: number[]): number[][] => [
  ...lines.filter((line) => beginsWith(line, moves)),
  ...lines.filter((line) => !beginsWith(line, moves)),
];

/** The moves that were tried at a position, the main one first. */
export const triedMoves = (lines: number[][], moves: number[]): number[] => [
  ...new Set(
    lines.filter((line) => beginsWith(line, moves)).flatMap((line) => line.slice(moves.length)[0] ?? []),
  ),
];

/** The lines of a draft. */
export const linesOf = ({ placed, lines }: { placed: number[]; lines?: number[][] }): number[][] =>
  lines ?? withLine([], placed);
