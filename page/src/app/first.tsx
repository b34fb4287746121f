/** The output of the build: the page before its scripts arrive, and the picture that other sites show with a link. */

import { renderToString } from "preact-render-to-string";
import { Board } from "../board/board";
import type { Layout } from "../core/data";
import { say } from "../core/language";
import { readNotation } from "../core/notation";
import { Mark, TABS } from "./stage";

const Say = ({ name }: { name: string }) => <span data-say={name}>{say(name)}</span>;

/** The width and height of that picture. */
const PREVIEW = { width: "1200", height: "630" };

export const preview = (line: string, layout: Layout): string =>
  renderToString(
    <svg xmlns="http://www.w3.org/2000/svg" {...PREVIEW}>
      <title>{say("title")}</title>
      <rect {...PREVIEW} fill="#f5efe0" />
      <Board board={readNotation(line, layout)} size={PREVIEW} />
    </svg>,
  );

/** Header, a board and buttons, in "light" or "dark". */
export const first = (line: string, layout: Layout, theme: string): string => {
  const board = readNotation(line, layout);
  return renderToString(
    <div class="page">
      <header>
        <h1>
          <Mark /> <Say name="title" />
        </h1>
      </header>
      <main>
        <section class="stage" aria-busy="true" data-board={line}>
          <div class="view">
            <Board {...{ board, theme }} />
          </div>
          <p class="fairness">{"\u00a0"}</p>
          <div class="actions">
            <button type="button" class="main" disabled>
              <Say name="loading" />
            </button>
          </div>
        </section>
        <section class="side">
          <div class="tabs">
            {TABS.map((name) => (
              <button key={name} type="button" disabled>
                <Say name={`tab.${name}`} />
              </button>
            ))}
          </div>
          <noscript>
            <p class="problem">
              <Say name="noscript" />
            </p>
          </noscript>
          <p class="problem" id="file" hidden>
            <Say name="file" />
          </p>
        </section>
      </main>
    </div>,
  );
};
