/** The pieces for a tile that was touched: those on it, and those that the box still has for it. */

import type { JSX } from "preact";
import type { Layout } from "./data";
import { type Left, markersFor, missing, terrainsFor } from "./entry";
import { say } from "./language";
import { fill } from "./look";
import type { Pattern } from "./notation";

interface Props {
  layout: Layout;
  /** What lies on the board. */
  pattern: Pattern;
  /** The tile. */
  touched: number | undefined;
  /** Lays a piece on the tile, or takes it off. */
  onPiece: (piece: string | number) => void;
  /** Lets the models lay what is missing. */
  onRest: () => void;
  onLeave: () => void;
}

export function EntryPanel({ layout, pattern, touched, onPiece, onRest, onLeave }: Props): JSX.Element {
  const { tiles, markers } = missing(pattern, layout);
  const terrains =
    touched === undefined ? null : (
      <Pieces
        name={say("lay.terrain")}
        pieces={terrainsFor(pattern, touched, layout)}
        lying={pattern.terrain[touched]}
        text={(name) => say(`terrain.${name}`)}
        color={fill}
        onPiece={onPiece}
      />
    );
  const numbers =
    touched === undefined ? null : (
      <Pieces
        name={say("lay.marker")}
        pieces={markersFor(pattern, touched, layout)}
        lying={pattern.markers[touched]}
        text={(marker) => (layout.second[marker] ? `${marker}/${layout.second[marker]}` : String(marker))}
        onPiece={onPiece}
      />
    );
  const isOpen = touched !== undefined && pattern.terrain[touched] === undefined;
  return (
    <div class="entry">
      <p class="next" aria-live="polite">
        {touched === undefined ? say("lay.touch") : say("lay.tile", { n: touched + 1 })}{" "}
        {tiles + markers > 0 && (
          <span class="small">
            {tiles ? say("lay.tiles", { n: tiles }) : say("lay.markers", { n: markers })}
          </span>
        )}
      </p>
      {isOpen ? terrains : [numbers, terrains]}
      <p class="small">{say("lay.off")}</p>
      <div class="row">
        {tiles + markers > 0 && (
          <button type="button" class="plain" onClick={onRest}>
            {say("lay.rest")}
          </button>
        )}
        <button type="button" class="plain" onClick={onLeave}>
          {say("lay.leave")}
        </button>
      </div>
    </div>
  );
}

interface PiecesProps<Piece> {
  name: string;
  pieces: Left<Piece>[];
  lying: Piece | undefined;
  text: (piece: Piece) => string;
  color?: (piece: Piece) => string;
  onPiece: (piece: Piece) => void;
}

function Pieces<Piece extends string | number>(props: PiecesProps<Piece>): JSX.Element | null {
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
          aria-label={`${text(piece)}, ${say("lay.left", { n: left })}`}
          onClick={() => onPiece(piece)}
        >
          {color && <span class="swatch" style={{ background: color(piece) }} />}
          {text(piece)} <span class="small">×{left}</span>
        </button>
      ))}
    </fieldset>
  );
}
