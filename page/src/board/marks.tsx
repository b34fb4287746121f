/** Marks on a board: the numbers of tiles, and arrows between tiles that are exchanged. */

import type { Layout } from "../core/data";
import { place, R } from "./geometry";
import { CHANGED, lines } from "./look";

/** The numbers of tiles, beside their pieces. */
export const TileNumbers = ({ layout, tiles }: { layout: Layout; tiles: number[] }) => (
  <g class="numbers" aria-hidden="true" pointer-events="none">
    {tiles.map((t) => {
      const [x, y] = place(layout.tiles[t], layout);
      return (
        <g key={t} transform={`translate(${(x - R * 0.62).toFixed(1)} ${y.toFixed(1)})`}>
          <rect
            x="-13.500"
            y="-10.500"
            width="27"
            height="21"
            rx="10.500"
            fill="#111"
            stroke="#fff"
            stroke-width="1.500"
          />
          <text
            y="6.500"
            text-anchor="middle"
            font-size="18"
            font-weight="bold"
            font-family="system-ui, sans-serif"
            fill="#fff"
          >
            {t + 1}
          </text>
        </g>
      );
    })}
  </g>
);

/** A bent arrow with two heads for each pair of tiles. */
export const Arrows = ({ layout, pairs }: { layout: Layout; pairs: number[][] }) => (
  <g class="arrows" aria-hidden="true" pointer-events="none" stroke-linecap="round">
    {pairs.map(([i, j]) => {
      const [[x, y], [u, v]] = [place(layout.tiles[i], layout), place(layout.tiles[j], layout)];
      const length = Math.hypot(u - x, v - y);
      const [dx, dy] = [(u - x) / length, (v - y) / length];
      // It starts and ends at the rim of the number, and bends so that it passes beside the tiles between.
      const [start, end] = [26, length - 26];
      const bend = Math.min(50, 0.2 * length);
      const at = (along: number, across: number): string =>
        `${(x + dx * along - dy * across).toFixed(1)} ${(y + dy * along + dx * across).toFixed(1)}`;
      const head = (tip: number, back: number): string =>
        `M${at(tip + back, bend * 0.25 - 9)}L${at(tip, 0)}L${at(tip + back, bend * 0.25 + 11)}`;
      const d = `M${at(start, 0)}Q${at(length / 2, bend)} ${at(end, 0)}${head(start, 13)}${head(end, -13)}`;
      return (
        <g key={`${i} ${j}`}>
          {lines(["#fff", 9], [CHANGED, 4.5]).map((line) => (
            <path {...line} d={d} />
          ))}
        </g>
      );
    })}
  </g>
);
