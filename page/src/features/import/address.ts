/** The address of a board and an opening that another program wrote. */

import type { Layout, Pair } from "../../core/data";
import { snake } from "../../core/draft";
import { BadNotation, type Board, notation, readNotation } from "../../core/notation";
import { freeVertices } from "../../core/odds";
import { type Game, readGame } from "./readers";

const SHAPES = ["base", "base-5-6", "mini"];

const turned = ([x, y]: Pair): Pair => [(x - y) / 2, (3 * x + y) / 2];

/** The vertex at a position, if the tiles of a game have the shape of a layout, turned or not. */
function fit(game: Game, layout: Layout) {
  const centres = [...game.tiles.keys()].map((key) => key.split(",").map(Number) as Pair);
  for (let turns = 0, moved = centres; turns < 6; turns++, moved = moved.map(turned)) {
    const first = moved.reduce((a, b) => (b[1] < a[1] || (b[1] === a[1] && b[0] < a[0]) ? b : a), moved[0]);
    const [dx, dy] = [layout.tiles[0][0] - first[0], layout.tiles[0][1] - first[1]];
    const place = (point: Pair): string => {
      let [x, y] = point;
      for (let i = 0; i < turns; i++) [x, y] = turned([x, y]);
      return `${x + dx},${y + dy}`;
    };
    const pieces = new Map(centres.map((centre) => [place(centre), game.tiles.get(String(centre))!]));
    const tiles = layout.tiles.map((centre) => pieces.get(String(centre)));
    if (tiles.every((tile) => tile !== undefined)) {
      const vertices = layout.vertices.map(String);
      const vertex = (point: Pair): number => {
        const v = vertices.indexOf(place(point));
        if (v < 0) throw new BadNotation(String(point));
        return v;
      };
      return { tiles, vertex };
    }
  }
  throw new BadNotation(`${centres.length}`);
}

/** Reads a file of another program. Throws `BadNotation` as the library rejects it. */
export async function importedAddress(
  text: string,
  load: (name: string) => Promise<Layout>,
): Promise<string> {
  const game = readGame(text);
  const layouts = await Promise.all(SHAPES.map(load));
  const layout = layouts.find(({ tiles }) => tiles.length === game.tiles.size);
  if (!layout) throw new BadNotation(`${game.tiles.size}`);
  const { tiles, vertex } = fit(game, layout);
  const harbors = game.harbors.map(({ ends, trade }) => {
    const [a, b] = ends.map(vertex).sort((m, n) => m - n);
    return { vertices: [a, b] as Pair, trade };
  });
  const [terrain, markers] = [tiles.map(([name]) => name), tiles.map(([, marker]) => marker)];
  const drawn: Board = { layout, terrain, markers, harbors, grounds: [] };
  const line = notation(drawn);
  const board = readNotation(line, layout);
  const placed = opening(game, board, vertex);
  return line + (placed.length ? `&players=${game.players}&placed=${placed.join(".")}` : "");
}

/** The vertices of the opening in the order placed. */
function opening({ players, pieces }: Game, board: Board, vertex: (point: Pair) => number): number[] {
  const order = snake(players);
  const placed: number[] = [];
  const roads = new Set<number>();
  const fail = (player: number): never => {
    throw new BadNotation(`${placed.length + 1}: ${player + 1}`);
  };
  for (const { player, points } of pieces) {
    const ends = points.map(vertex);
    if (ends.length === 1) {
      if (placed.length === order.length) break;
      if (order[placed.length] !== player || !freeVertices(board, placed).includes(ends[0])) fail(player);
      placed.push(ends[0]);
      continue;
    }
    const turn = placed.findLastIndex((_, i) => order[i] === player);
    if (turn >= 0 && roads.has(turn) && placed.length === order.length) break;
    const [far] = ends.filter((v) => v !== placed[turn]);
    const isRoad = ends.length === 2 && ends.includes(placed[turn]);
    if (turn < 0 || roads.has(turn) || !isRoad || !board.layout.vertexNeighbors[placed[turn]].includes(far))
      fail(player);
    roads.add(turn);
  }
  if (placed.length && (players < 2 || players > board.layout.players)) fail(players);
  return placed;
}
