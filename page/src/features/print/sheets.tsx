/** The printout: one page, or several with tiles of the game's size. */

import { options } from "preact";
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { Board } from "../../board/board";
import { type Box, boxOf, harborPlace, place, R } from "../../board/geometry";
import { SIZES } from "../../board/look";
import type { Pair } from "../../core/data";
import { say } from "../../core/language";
import { notation, type Board as Value } from "../../core/notation";
import { Code, hasCode } from "../share/panel";

/** Millimetres per unit of the drawing where tiles are as wide as the game's, 79 mm. */
const UNIT = 79 / (R * Math.sqrt(3));
/** The printable millimetres of A4 and Letter, without margins and the lines below the board. */
const ROOM = { width: 190, height: 238 };
/** The overlap of two sheets. */
const OVERLAP = 10;
/** Milliseconds without a change, after which the sheets are drawn. */
const REST = 2000;
/** The water around the tiles and harbors of large boards, in tile edges. Fishing grounds need more. */
const AROUND = { tiles: 0.3, grounds: 1, harbors: 0.42 };

interface SheetProps {
  board: Value;
  letters: boolean;
  patterns: boolean;
  kind: "page" | "true";
  address: string;
  rules: string[];
}

/** The starts of sheets, as far apart as possible, without a cut inside a blocked interval. */
export function starts(low: number, high: number, room: number, overlap: number, blocked: Pair[]): number[] {
  const result = [low];
  for (;;) {
    const last = result.at(-1)!;
    if (high - last <= room) return result;
    const most = last + room - overlap;
    const ends = [most, ...blocked.map(([start]) => start).filter((at) => last < at && at < most)];
    const free = ends.filter((end) => !blocked.some(([start, stop]) => start < end && end < stop));
    result.push(free.length ? Math.max(...free) : most);
  }
}

interface Sheet {
  name: string;
  box: Box;
  /** Whether another sheet is to the right, and below. */
  more: [boolean, boolean];
}

/** The sheets of a board in true size. No cut goes through a number, nor, if it costs no sheet, through a harbor. */
export function trueSheets(board: Value): Sheet[] {
  const { layout } = board;
  const whole = boxOf(layout, board.harbors.length > 0);
  const around = (spots: Pair[], reach: number): Pair[][] =>
    [0, 1].map((axis) => spots.map((spot): Pair => [spot[axis] - reach, spot[axis] + reach]));
  const vertices = layout.vertices.map((spot) => place(spot, layout));
  const numbered = layout.tiles.filter((_, t) => board.markers[t] > 0).map((spot) => place(spot, layout));
  const numbers = around(numbered, (SIZES.disc + 0.012) * R);
  const harbors = board.harbors.map((harbor) => harborPlace(board, harbor.vertices));
  const signs = around(harbors, (SIZES.harbor + 0.012) * R);
  const shown = [
    around(vertices, (board.grounds.length ? AROUND.grounds : AROUND.tiles) * R),
    around(harbors, AROUND.harbors * R),
  ];
  const [columns, rows] = [0, 1].map((axis) => {
    const along = shown.flatMap((spots) => spots[axis]);
    const [from, size] = axis ? [whole.y, whole.height] : [whole.x, whole.width];
    const low = Math.max(from, Math.min(...along.map(([start]) => start)));
    const high = Math.min(from + size, Math.max(...along.map(([, end]) => end)));
    const room = (axis ? ROOM.height : ROOM.width) / UNIT;
    const [uncut, cut] = [[...numbers[axis], ...signs[axis]], numbers[axis]].map((blocked) =>
      starts(low, high, room, OVERLAP / UNIT, blocked),
    );
    const begins = uncut.length === cut.length ? uncut : cut;
    return begins.map(
      (begin, i): Pair => [begin, i + 1 < begins.length ? begins[i + 1] + OVERLAP / UNIT : high],
    );
  });
  return rows.flatMap(([top, bottom], row) =>
    columns.map(([left, right], column) => ({
      name: `${String.fromCharCode(65 + row)}${column + 1}`,
      box: { x: left, y: top, width: right - left, height: bottom - top },
      more: [column + 1 < columns.length, row + 1 < rows.length] as [boolean, boolean],
    })),
  );
}

/** The sheets, drawn when the board has rested or is printed: a second board would make each deal slower. */
export function Sheets(props: SheetProps) {
  const [ready, setReady] = useState<SheetProps>();
  useLayoutEffect(() => {
    // The browser prints what is there when this event ends, so the sheets are drawn at once.
    const draw = () => {
      const { debounceRendering } = options;
      options.debounceRendering = (render) => render();
      setReady(props);
      options.debounceRendering = debounceRendering;
    };
    const later = setTimeout(draw, REST);
    addEventListener("beforeprint", draw);
    return () => {
      clearTimeout(later);
      removeEventListener("beforeprint", draw);
    };
  }, [props.board, props.letters, props.patterns, props.kind, props.address, props.rules.join()]);
  return useMemo(() => (ready ? <Printed {...ready} /> : null), [ready]);
}

function Printed({ board, letters, patterns, kind, address, rules }: SheetProps) {
  const stated = rules.length > 0 && (
    <>
      <br />
      <strong>{say("sheet.rules")}</strong> {rules.join(" ")}
    </>
  );
  if (kind === "page") {
    return (
      <div class="sheets">
        <div class="paper">
          <Board {...{ board, letters, patterns }} />
          <div class="foot">
            {hasCode(address) && <Code text={address} />}
            <p>
              <strong>{board.layout.title}</strong>
              <br />
              <code>{notation(board)}</code>
              {stated}
            </p>
          </div>
        </div>
      </div>
    );
  }
  const sheets = trueSheets(board);
  return (
    <div class="sheets">
      {sheets.map(({ name, box, more }) => {
        const [width, height] = [box.width * UNIT, box.height * UNIT];
        return (
          <div class="paper true" key={name}>
            <Board
              {...{ board, letters, patterns, box }}
              size={{ width: `${width}mm`, height: `${height}mm` }}
            />
            <Marks {...{ width, height, more }} />
            <p class="foot">
              <span>
                <strong>{say("sheet.name", { name, n: sheets.length })}</strong> {board.layout.title}.{" "}
                {say("sheet.glue")}
                {stated}
              </span>
            </p>
          </div>
        );
      })}
    </div>
  );
}

interface MarksProps {
  width: number;
  height: number;
  more: [boolean, boolean];
}

/** Crop marks at the corners of a sheet, and dashed lines where the next sheets begin. */
const Marks = ({ width, height, more: [right, below] }: MarksProps) => (
  <svg
    class="marks"
    width={`${width + 6}mm`}
    height={`${height + 6}mm`}
    viewBox={`-3 -3 ${width + 6} ${height + 6}`}
    aria-hidden="true"
    fill="none"
    stroke="#000"
    stroke-width="0.2"
  >
    {[0, width].flatMap((x) =>
      [0, height].map((y) => <path key={`${x} ${y}`} d={`M${x - 3} ${y}h6M${x} ${y - 3}v6`} />),
    )}
    <path
      d={`${right ? `M${width - OVERLAP} 0v${height}` : ""}${below ? `M0 ${height - OVERLAP}h${width}` : ""}`}
      stroke-dasharray="3 3"
    />
  </svg>
);
