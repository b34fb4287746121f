/** Boards whose seats are even in games: their store, in any orientation. */

import type { EvenData, Layout } from "./data";
import { shuffled } from "./lists";
import { type Board, type Harbor, notation, readNotation } from "./notation";

export interface Played {
  games: number;
  wins: number[];
}

/** The board with all pieces moved by a rotation or reflection. */
function moved(board: Board, tiles: number[], vertices: number[]): Board {
  const [terrain, markers] = [[...board.terrain], [...board.markers]];
  for (const [from, to] of tiles.entries()) {
    terrain[to] = board.terrain[from];
    markers[to] = board.markers[from];
  }
  const harbors = board.harbors.map(({ vertices: [a, b], trade }): Harbor => {
    const ends: [number, number] = [vertices[a], vertices[b]];
    return { vertices: ends.sort((x, y) => x - y), trade };
  });
  return { ...board, terrain, markers, harbors };
}

export class EvenBoards {
  /** By notation, in all orientations. */
  private readonly played = new Map<string, Played>();
  /** Boards with harbors in the places of the layout, in a random order. */
  private queue: string[] = [];

  constructor(
    private readonly data: EvenData,
    readonly layout: Layout,
  ) {
    for (const [line, wins] of data.boards) {
      const board = readNotation(line, layout);
      for (const image of this.images(board)) this.played.set(notation(image), { games: data.games, wins });
    }
  }

  /** The board in all orientations. */
  private images(board: Board): Board[] {
    return this.layout.symmetries.map((tiles, i) => moved(board, tiles, this.data.vertexSymmetries[i]));
  }

  /** The games of this board, if it is in the store in some orientation. */
  playedOn(board: Board, players: number): Played | undefined {
    if (players !== this.data.players || board.layout.name !== this.layout.name) return undefined;
    return this.played.get(notation(board));
  }

  /** A board at random. It comes again only after all others. */
  next(): Board {
    if (!this.queue.length) this.queue = shuffled(this.data.boards.map(([line]) => line));
    const board = readNotation(this.queue.pop()!, this.layout);
    const places = (harbors: Harbor[]): string =>
      harbors
        .map(({ vertices }) => vertices.join("-"))
        .sort()
        .join();
    const turned = this.images(board).filter(({ harbors }) => places(harbors) === places(board.harbors));
    return shuffled(turned)[0];
  }
}
