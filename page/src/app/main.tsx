import { render } from "preact";
import {
  readEven,
  readLayout,
  readLayouts,
  readModels,
  readRules,
  readSite,
  START_LAYOUT,
} from "../core/data";
import { EvenBoards } from "../core/even";
import { choose, languages, say } from "../core/language";
import { preferredLanguage } from "../core/memory";
import { lastAsked } from "../core/saved";
import { Dealer } from "../solver/dealer";
import { onLoading } from "../solver/solver";
import { createActions } from "./actions";
import { App } from "./app";
import { keepOffline, startNewVersion } from "./offline";
import { createStore } from "./store";

/** Milliseconds for the first board to take the place of the one in index.html, before the page is shown without one. */
const PATIENCE = 300;

async function start(app: HTMLElement): Promise<void> {
  await startNewVersion();
  const hash = location.hash.slice(1) || lastAsked();
  const [rules, layouts, models, site, even, base] = await Promise.all([
    readRules(),
    readLayouts(),
    readModels(),
    readSite(),
    readEven(),
    readLayout(START_LAYOUT),
    choose(preferredLanguage(languages())),
  ]);
  const store = createStore();
  const evenBoards = new EvenBoards(even, base);
  const dealer = new Dealer(
    rules,
    models,
    evenBoards,
    app.querySelector<HTMLElement>("[data-board]")?.dataset.board,
  );
  const actions = createActions(store, dealer, rules, layouts);
  onLoading((loading) => {
    store.set({ loading });
    if (!loading) keepOffline();
  });
  const opened = actions.openAddress(hash);
  void opened.then(() => {
    if (!store.state.loading) keepOffline(); // otherwise after the solver, which is wanted sooner
  });
  await Promise.race([opened, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  app.replaceChildren();
  render(
    <App {...{ store, dealer, actions, rules, layouts, models, languages: languages(), site, evenBoards }} />,
    app,
  );
}

const app = document.getElementById("app")!;
start(app).catch((problem: unknown) => {
  const text = document.createElement("p");
  text.className = "problem";
  text.textContent = `${say("failed")} ${problem}`;
  app.replaceChildren(text);
});
