/** The pieces for a touched tile: those on it, and those left in the box. */

import { fill } from "../../board/look";
import { landAt, tradeInWords } from "../../board/props";
import type { Pair } from "../../core/data";
import { type Left, markersFor, missing, terrainsFor, tradesFor } from "../../core/entry";
import { say } from "../../core/language";
import type { Board, Pattern } from "../../core/notation";
import { Button } from "../../widgets/button";

interface Props {
  /** The placed pieces, and the same as a board. */
  pattern: Pattern;
  board: Board;
  /** The tile, or the vertices of a harbor. */
  touched: number | Pair | undefined;
  /** Places a piece there, or removes it. */
  onPiece: (piece: string | number) => void;
  /** Lets the models place the missing pieces. */
  onRest: () => void;
  onLeave: () => void;
}

export function EntryPanel({ board, pattern, touched, onPiece, onRest, onLeave }: Props) {
  const { layout } = board;
  const { tiles, markers } = missing(pattern, layout);
  const tile = typeof touched === "number" ? touched : undefined;
  const place = typeof touched === "object" ? touched : undefined;
  const terrains =
    tile === undefined ? null : (
      <Pieces
        name={say("lay.terrain")}
        pieces={terrainsFor(pattern, tile, layout)}
        lying={pattern.terrain[tile]}
        text={(name) => say(`terrain.${name}`)}
        color={fill}
        onPiece={onPiece}
      />
    );
  const numbers =
    tile === undefined ? null : (
      <Pieces
        name={say("lay.marker")}
        pieces={markersFor(pattern, tile, layout)}
        lying={pattern.markers[tile]}
        text={(marker) => (layout.second[marker] ? `${marker}/${layout.second[marker]}` : String(marker))}
        onPiece={onPiece}
      />
    );
  const isOpen = tile !== undefined && pattern.terrain[tile] === undefined;
  return (
    <div class="entry">
      <p class="next" aria-live="polite">
        {place
          ? say("lay.harbor", { place: landAt(board, place) })
          : tile === undefined
            ? say("lay.touch")
            : say("lay.tile", { n: tile + 1 })}{" "}
        {tiles + markers > 0 && (
          <span class="small">
            {tiles ? say("lay.tiles", { n: tiles }) : say("lay.markers", { n: markers })}
          </span>
        )}
      </p>
      {isOpen ? terrains : [numbers, terrains]}
      {place && (
        <Pieces
          name={say("rule.harbors")}
          pieces={tradesFor(board.harbors, place, layout)}
          lying={board.harbors.find(({ vertices }) => vertices.join() === place.join())?.trade}
          text={tradeInWords}
          color={(trade) => (trade === "3:1" ? undefined : fill(trade))}
          onPiece={onPiece}
        />
      )}
      <p class="small">{say("lay.off")}</p>
      <div class="row">
        {tiles + markers > 0 && <Button text="lay.rest" onClick={onRest} />}
        <Button text="lay.leave" onClick={onLeave} />
      </div>
    </div>
  );
}

interface PiecesProps<Piece> {
  name: string;
  pieces: Left<Piece>[];
  lying: Piece | undefined;
  text: (piece: Piece) => string;
  color?: (piece: Piece) => string | undefined;
  onPiece: (piece: Piece) => void;
}

function Pieces<Piece extends string | number>(props: PiecesProps<Piece>) {
  const { name, pieces, lying, text, color, onPiece } = props;
  if (!pieces.length) return null;
  return (
    <fieldset class="pieces">
      <legend>{name}</legend>
      {pieces.map(([piece, left]) => (
        <button
          key={piece}
          type="button"
          class="piece"
          data-piece={piece}
          aria-pressed={piece === lying}
          aria-label={`${text(piece)}, ${left ? say("lay.left", { n: left }) : say("lay.exchange")}`}
          onClick={() => onPiece(piece)}
        >
          {color?.(piece) && <span class="swatch" style={{ background: color(piece) }} />}
          {text(piece)} <span class="small">{left ? `×${left}` : "⇄"}</span>
        </button>
      ))}
    </fieldset>
  );
}
