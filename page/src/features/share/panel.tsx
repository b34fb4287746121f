/** Exports of the board: address, QR code, text, pictures, paper. */

import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Board } from "../../board/board";
import { boxOf } from "../../board/geometry";
import { say } from "../../core/language";
import { FOREIGN, MOST_ADDRESS, MOST_CODE } from "../../core/limits";
import { notation, type Board as Value } from "../../core/notation";
import { Button } from "../../widgets/button";

interface Props {
  board: Value;
  address: string;
  letters: boolean;
  patterns: boolean;
  sheets: "page" | "true";
  onSheets: (kind: "page" | "true") => void;
  onSay: (text: string) => void;
  onOpen: (text: string) => void;
  onFile: (file: File) => void;
}

/** Whether everybody can open an address, or the same network, or this computer alone. */
export function reach(address: string): "all" | "network" | "here" {
  const { protocol, hostname } = new URL(address);
  if (!protocol.startsWith("http") || /^(localhost|127\..*|\[::1\])$/.test(hostname)) return "here";
  const inside = /^\d+\.\d+\.\d+\.\d+$|^\[|\.local$|^[^.]+$/; // numbers, and names that only a network knows
  return inside.test(hostname) ? "network" : "all";
}

export function SharePanel(props: Props) {
  const { board, address, onSay } = props;
  const [text, setText] = useState("");
  const line = notation(board);
  const isReadable = address.split("#")[1].length <= MOST_ADDRESS;
  const [told, setTold] = useState("");
  const [select, setSelect] = useState<string>();
  /** Shows a result for a moment, and announces it. */
  const tell = (key: string, given: Record<string, string | number> = {}) => {
    onSay(say(key, given));
    setTold(say(key, given));
  };
  const save = (name: string, picture: Promise<Blob>) =>
    void picture.then(
      (blob) => {
        download(blob, name);
        tell("share.saved", { name });
      },
      (reason) => tell("share.unsaved", { name, reason: String(reason) }),
    );
  const print = (kind: "page" | "true") => {
    props.onSheets(kind);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        window.print();
        tell("share.printed", { n: document.querySelectorAll(".sheets .paper").length || 1 });
      }),
    );
  };
  const copy = (what: string) => {
    // Browsers have a clipboard only where the page comes over https, or from this computer.
    setSelect(navigator.clipboard ? undefined : what);
    if (!navigator.clipboard) {
      onSay(say("share.insecure"));
      return;
    }
    navigator.clipboard.writeText(what).then(
      () => tell("share.copied"),
      () => tell("share.refused"),
    );
  };
  useEffect(() => {
    const timer = setTimeout(() => setTold(""), 3_000);
    return () => clearTimeout(timer);
  }, [told]);
  return (
    <>
      {hasCode(address) ? (
        <div class="qr">
          <Code text={address} />
          <p>{say(`share.scan.${reach(address)}`)}</p>
        </div>
      ) : (
        <p>
          {isReadable
            ? say(reach(address) === "here" ? "share.scan.here" : "share.long")
            : say("share.unreadable", { n: address.length, most: MOST_ADDRESS })}
        </p>
      )}
      <div class="row">
        {isReadable && navigator.share && (
          <Button
            text="share.device"
            icon="share"
            onClick={() => {
              // A closed sheet of the device is not an error.
              navigator.share({ title: say("title"), url: address }).catch(() => undefined);
            }}
          />
        )}
        {isReadable && <Button text="share.address" onClick={() => copy(address)} />}
        <Button text="share.text" onClick={() => copy(line)} />
      </div>
      {select !== undefined && <p class="small">{say("share.insecure")}</p>}
      {select !== undefined && <code class="select">{select}</code>}
      <p class="notation">{told ? <strong aria-hidden="true">{told}</strong> : <code>{line}</code>}</p>
      <h2>{say("share.picture")}</h2>
      <div class="row">
        <button type="button" onClick={() => save("board.png", png(props))}>
          PNG
        </button>
        <button type="button" onClick={() => save("board.svg", Promise.resolve(svg(props)))}>
          SVG
        </button>
      </div>
      <h2>{say("share.paper")}</h2>
      <div class="row">
        <Button text="share.page" onClick={() => print("page")} />
        <Button text="share.true" onClick={() => print("true")} />
      </div>
      <p class="small">{say("share.paper.about")}</p>
      {!isSecureContext && <p class="small">{say("share.offline")}</p>}
      <h2>{say("share.open")}</h2>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim()) props.onOpen(text.trim());
        }}
      >
        <input
          class="grow"
          value={text}
          aria-label={say("share.notation")}
          placeholder={say("share.notation")}
          onInput={(event) => setText(event.currentTarget.value)}
          onPaste={(event) => {
            // The field has one line, and files of other programs have several.
            const pasted = event.clipboardData?.getData("text") ?? "";
            if (!FOREIGN.test(pasted)) return;
            event.preventDefault();
            props.onOpen(pasted);
          }}
        />
        <Button text="share.show" type="submit" />
      </form>
      <label>
        {say("share.file")}
        <input
          type="file"
          onChange={({ currentTarget: { files } }) => files?.[0] && props.onFile(files[0])}
        />
      </label>
      <p class="small">{say("share.file.about")}</p>
    </>
  );
}

/** Whether a QR code is useful: the address fits, and other devices can open it. */
export const hasCode = (address: string): boolean =>
  reach(address) !== "here" && new TextEncoder().encode(address).length <= MOST_CODE;

type Maker = typeof import("qrcode-generator");
let maker: Maker | undefined;

/** The dark modules of a QR code as a path, and the number of modules per side. */
function drawn(text: string, make: Maker): { path: string; n: number } {
  const code = make(0, "L");
  code.addData(text);
  code.make();
  const n = code.getModuleCount();
  let path = "";
  for (let y = 0; y < n; y++) {
    for (let x = 0; x < n; x++) if (code.isDark(y, x)) path += `M${x} ${y}h1v1h-1z`;
  }
  return { path, n };
}

/** A QR code. Its library is loaded with the first one, since the first board needs none. */
export function Code({ text }: { text: string }) {
  const [make, setMake] = useState(() => maker);
  useEffect(() => {
    if (make) return;
    import("qrcode-generator").then(
      (found) => {
        maker = found.default;
        setMake(() => maker);
      },
      () => undefined, // without a network the code is missing
    );
  }, []);
  // Its place is kept.
  const { path, n } = useMemo(() => (make ? drawn(text, make) : { path: "", n: 1 }), [text, make]);
  return (
    <svg
      class="code"
      viewBox={`-3 -3 ${n + 6} ${n + 6}`}
      role="img"
      aria-label={say("share.code")}
      shape-rendering="crispEdges"
    >
      <rect x="-3" y="-3" width={n + 6} height={n + 6} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/** The drawing by itself, as an SVG file. */
function svg({ board, letters, patterns }: Props): Blob {
  const holder = document.createElement("div");
  const box = boxOf(board.layout, board.harbors.length > 0);
  render(
    <Board
      {...{ board, letters, patterns, box }}
      size={{ width: box.width.toFixed(0), height: box.height.toFixed(0) }}
    />,
    holder,
  );
  const text = new XMLSerializer().serializeToString(holder.firstElementChild!);
  render(null, holder);
  return new Blob([text], { type: "image/svg+xml" });
}

async function png(props: Props): Promise<Blob> {
  const box = boxOf(props.board.layout, props.board.harbors.length > 0);
  const address = URL.createObjectURL(svg(props));
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(box.width * 2);
  canvas.height = Math.round(box.height * 2);
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return await new Promise((done, failed) => {
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error(`${canvas.width} × ${canvas.height}`))));
  });
}

function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
