/** The page before its scripts are there: header, a board, and buttons. The build writes it into index.html. */

import { renderToString } from "preact-render-to-string";
import { Board } from "./board";
import type { Layout } from "./data";
import { say } from "./language";
import { readNotation } from "./notation";
import { Mark, TABS } from "./stage";

const Say = ({ name }: { name: string }) => <span data-say={name}>{say(name)}</span>;

export const first = (line: string, layout: Layout): string => {
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
            <Board board={board} theme="light" />
          </div>
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
