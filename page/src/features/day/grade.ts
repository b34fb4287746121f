/** The grade of a settlement, and the facts by which one is better than another. */

import later from "../../../languages/later/en.json";
import { tradeInWords } from "../../board/props";
import { CLOSE } from "../../core/chance_game";
import type { Move } from "../../core/draft";
import { addEnglish, current, say, tenths } from "../../core/language";
import type { Board } from "../../core/notation";
import { vertexPips } from "../../core/scores";

addEnglish(later);

/** The parts of the best chance that a settlement of each grade keeps at least, the best grade first. */
const LEAST_KEPT = [0.99, 0.9, 0.75];
const BEST = LEAST_KEPT.length;

/** From 0 to 3. */
export const gradeOf = (move: Move, best: Move): number =>
  LEAST_KEPT.filter((least) => move.chance >= least * best.chance).length;

export const stars = (grade: number): string => "★".repeat(grade) + "☆".repeat(BEST - grade);

const namesIn = (board: Board, vertices: number[]): string[] => {
  const tiles = vertices.flatMap((v) => board.layout.vertexTiles[v]).filter((t) => board.markers[t]);
  return [...new Set(tiles.map((t) => board.terrain[t]))];
};
const tradesAt = ({ harbors }: Board, pair: number[]): string[] =>
  harbors.filter(({ vertices }) => vertices.some((v) => pair.includes(v))).map(({ trade }) => trade);
const added = (now: string[], before: string[]): string[] => now.filter((each) => !before.includes(each));

/**
 * What the better of two moves has, in words. The odds of a chance are the player's odds by those of all rivals, so the
 * logarithms tell how much each part contributes.
 */
export function facts(board: Board, better: Move, other: Move): string {
  const pips = vertexPips(board);
  const player = better.player - 1;
  const [first, second] = [better, other].map(({ rest }) => rest.pairs[player]);
  const isFirst = first[0] === better.vertex;
  const logit = ({ chance }: Move): number => Math.log(chance / (1 - chance));
  const total = logit(better) - logit(other);
  const own = better.rest.logOdds[player] - other.rest.logOdds[player];
  const list: string[] = [];
  const compare = (key: string, a: number, b: number) =>
    pips[a] > pips[b] && list.push(say(key, { n: pips[a], m: pips[b] }));
  if (own > 0) {
    compare("day.pips", better.vertex, other.vertex);
    if (isFirst) compare("day.room", first[1], second[1]);
    const [names, before] = [first, second].map((pair) => namesIn(board, pair));
    const gains =
      names.length > before.length ? added(names, before).map((name) => say(`terrain.${name}`)) : [];
    for (const trade of new Set(added(tradesAt(board, first), tradesAt(board, second))))
      gains.push(say("day.harbor", { trade: tradeInWords(trade) }));
    if (gains.length) list.push(say("day.gains", { text: gains.join(", ") }));
    if (!list.length) list.push(say("day.fit"));
  }
  if (total - own > total / 2) {
    const gains = other.rest.chances.map((chance, seat) => chance - better.rest.chances[seat]);
    list.push(say("day.rival", { seat: gains.indexOf(Math.max(...gains)) + 1 }));
  }
  const text = new Intl.ListFormat(current).format(list);
  const [more, fewer] = [pips[other.vertex], pips[better.vertex]];
  return `${text}.${more > fewer ? ` ${say("day.fewer", { n: more, m: fewer })}` : ""}`;
}

/** The sentence about the best alternative to a move. The moves begin with the best one. */
export function sentence(board: Board, move: Move, moves: Move[], place: (vertex: number) => string): string {
  const isBest = move.chance > moves[0].chance - CLOSE;
  const other = moves.find(({ vertex }) => vertex !== move.vertex);
  if (!other) return "";
  const values = { place: place(other.vertex), n: tenths(other.chance) };
  if (Math.abs(other.chance - move.chance) < CLOSE) return say("day.equal", values);
  const [better, less] = isBest ? [move, other] : [other, move];
  return say(isBest ? "day.next" : "day.better", { ...values, facts: facts(board, better, less) });
}
