import { render } from "preact";
import { START_LAYOUT } from "./address";
import { App } from "./app";
import { readLayout, readLayouts, readModels, readReady, readRules, readSite } from "./data";
import { choose, languages, say } from "./language";
import { recall } from "./memory";
import { warm } from "./solver";

async function start(): Promise<void> {
  warm();
  if (!location.hash) {
    void readLayout(START_LAYOUT).catch(() => undefined); // it is told when a board is dealt
    void readReady(START_LAYOUT).catch(() => undefined);
  }
  const [rules, layouts, models, spoken, site] = await Promise.all([
    readRules(),
    readLayouts(),
    readModels(),
    languages(),
    readSite(),
  ]);
  const wanted = [recall("language"), ...navigator.languages.map((each) => each.slice(0, 2)), "en"];
  await choose(wanted.find((each) => each !== null && each in spoken) ?? "en");
  render(
    <App rules={rules} layouts={layouts} models={models} languages={spoken} site={site} />,
    document.getElementById("app")!,
  );
}

start().catch((problem: unknown) => {
  const text = document.createElement("p");
  text.className = "problem";
  text.textContent = `${say("failed")} ${problem}`;
  document.getElementById("app")?.replaceChildren(text);
});
