/** A dialog over the page, and parts of the page that load when they are opened. */

import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { say } from "../core/language";
import { SignButton } from "./button";

export type Dialog = "day" | "lesson" | "boards" | "about";

interface Props {
  title: string;
  /** The look of the dialog. */
  kind?: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Sheet({ title, kind = "", onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    dialog.current!.showModal();
    return () => opener?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${kind}`}
      aria-labelledby={id}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose(); // on the background
      }}
      onCancel={(event) => {
        event.preventDefault(); // the page closes it, as it does with Back
        onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <SignButton text="close" icon="close" class="plain round" onClick={onClose} />
      </header>
      <div class="inside">{children}</div>
    </dialog>
  );
}

/** Shows a component once its part of the page has arrived. */
export function Later<P extends object>({
  load,
  props,
}: {
  load: () => Promise<ComponentType<P>>;
  props: P;
}) {
  const [Part, setPart] = useState<ComponentType<P>>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    load().then(
      (found) => setPart(() => found),
      () => setFailed(true),
    );
  }, []);
  if (Part) return <Part {...props} />;
  return (
    <p class="loading" role="status">
      {failed ? say("later.failed") : <span class="spinner" aria-hidden="true" />}
    </p>
  );
}
