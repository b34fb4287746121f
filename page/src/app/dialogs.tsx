/** The dialogs over the page: the lesson, the stored boards, and facts about the page. */

import { useEffect, useState } from "preact/hooks";
import { readAddress } from "../core/address";
import type { LayoutEntry, RulesData } from "../core/data";
import { say } from "../core/language";
import type { Board } from "../core/notation";
import { isSaved, type List, save, saved } from "../core/saved";
import type { DayProps } from "../features/day/game";
import { Picture } from "../features/deal/layouts";
import type { LessonProps } from "../features/lesson/lesson";
import { Button, SignButton } from "../widgets/button";
import { Icon } from "../widgets/icons";
import { type Dialog, Later, Sheet } from "../widgets/sheet";

interface Props extends LessonProps, DayProps {
  dialog: Dialog;
  layouts: LayoutEntry[];
}

export function Dialogs({ dialog, layouts, onOpen, ...props }: Props) {
  const { onClose, rules } = props;
  if (dialog === "lesson")
    return (
      <Sheet title={say("lesson")} {...{ onClose }}>
        <Later load={async () => (await import("./later")).Lesson} {...{ props }} />
      </Sheet>
    );
  if (dialog === "day")
    return (
      <Sheet title={say("day")} {...{ onClose }}>
        <Later load={async () => (await import("./later")).Day} props={{ ...props, onOpen }} />
      </Sheet>
    );
  if (dialog === "boards")
    return (
      <Sheet title={say("boards")} kind="narrow" {...{ onClose }}>
        <Boards list="favourites" {...{ layouts, rules, onOpen }} />
        <Boards list="recent" {...{ layouts, rules, onOpen }} />
      </Sheet>
    );
  return (
    <Sheet title={say("about")} kind="narrow" {...{ onClose }}>
      <p>{say("about.text")}</p>
      <p>{say("private")}</p>
      <dl class="facts">
        <dt>{say("about.version")}</dt>
        <dd>{rules.version}</dd>
        <dt>{say("about.licence")}</dt>
        <dd>
          MIT · <a href="licences.txt">{say("licences")}</a>
        </dd>
        <dt>{say("about.source")}</dt>
        <dd>
          <a href={rules.source}>{rules.source.replace("https://", "")}</a>
        </dd>
        <dt>{say("about.help")}</dt>
        <dd>
          <a href={rules.help}>{rules.help.replace("https://", "")}</a>
        </dd>
      </dl>
      <h3>{say("about.keys")}</h3>
      <p>{say("about.keys.text")}</p>
    </Sheet>
  );
}

interface BoardsProps {
  list: List;
  layouts: LayoutEntry[];
  rules: RulesData;
  onOpen: (address: string) => void;
}

function Boards({ list, layouts, rules, onOpen }: BoardsProps) {
  const [addresses, setAddresses] = useState(() => saved(list));
  const [boards, setBoards] = useState<Record<string, Board | undefined>>({});
  useEffect(() => {
    for (const address of addresses)
      readAddress(address, layouts, rules).then(
        ({ board }) => setBoards((all) => ({ ...all, [address]: board })),
        () => {
          save(list, address, false); // written by another program or another version of the page
          setAddresses(saved(list));
        },
      );
  }, []);
  return (
    <section>
      <h3>{say(`boards.${list}`)}</h3>
      {addresses.length === 0 && <p class="small">{say(`boards.${list}.none`)}</p>}
      <div class="choices">
        {addresses.map((address) => {
          const board = boards[address];
          const name = address.split("&")[0];
          return (
            board && (
              <div key={address} class="choice-card">
                <button type="button" class="bare" onClick={() => onOpen(address)}>
                  <Picture
                    sideways={board.layout.sideways}
                    picture={board.layout.tiles.map(([x, y], t) => [x, y, board.terrain[t]])}
                  />
                  <span>{board.layout.title}</span>
                  <span class="hidden">{name}</span>
                </button>
                <Button
                  text="remove"
                  class="link"
                  aria-label={say("remove.this", { text: name })}
                  onClick={() => {
                    save(list, address, false);
                    setAddresses(saved(list));
                  }}
                />
              </div>
            )
          );
        })}
      </div>
    </section>
  );
}

/** The button that adds the board to the favourites, or removes it. */
export function Star({
  address,
  onSay,
}: {
  address: string;
  onSay: (text: string, isProblem: boolean) => void;
}) {
  const [, redraw] = useState(0);
  const on = isSaved("favourites", address);
  return (
    <SignButton
      text="boards.star"
      class="plain round star"
      disabled={!address}
      aria-pressed={on}
      onClick={() => {
        save("favourites", address, !on);
        redraw((n) => n + 1);
        const isKept = isSaved("favourites", address);
        onSay(say(isKept ? "boards.kept" : on ? "boards.removed" : "boards.full"), !isKept && !on);
      }}
    >
      <Icon name="star" filled={on} />
    </SignButton>
  );
}
