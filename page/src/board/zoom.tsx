/**
 * A magnified board: by two fingers, Ctrl and the wheel, buttons and keys. The mouse drags it. One finger and the wheel
 * alone always scroll the page.
 */

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Pair } from "../core/data";
import { SignButton } from "../widgets/button";
import type { Box } from "./geometry";

const MOST = 4;
const STEP = 1.5;
/** How far a pointer may move in a click, in pixels. */
const SLACK = 5;

export interface Zoom {
  /** The visible part. */
  box: Box;
  /** Pixels per unit of the drawing, or 0 before it is measured. */
  unit: number;
  factor: number;
  /** Magnifies by a factor round the middle. */
  by: (factor: number) => void;
  reset: () => void;
}

const middleOf = ({ x, y, width, height }: Box): Pair => [x + width / 2, y + height / 2];

/** The position of a button in the drawing. */
function spotOf(target: EventTarget | null): Pair | undefined {
  const { x, y } = (target as SVGElement).dataset ?? {};
  return x && y ? [Number(x), Number(y)] : undefined;
}

const within = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

/** The visible part with a factor if a point of the drawing is at a share of the picture. */
export function visiblePart(whole: Box, factor: number, [x, y]: Pair, [shareX, shareY]: Pair): Box {
  const [width, height] = [whole.width / factor, whole.height / factor];
  return {
    x: within(x - shareX * width, whole.x, whole.x + whole.width - width),
    y: within(y - shareY * height, whole.y, whole.y + whole.height - height),
    width,
    height,
  };
}

export function useZoom(svg: RefObject<SVGSVGElement | null>, whole: Box, live: boolean): Zoom {
  const [part, setPart] = useState<Box>();
  const [unit, setUnit] = useState(0);
  const box = part ?? whole;
  const { width, height } = box;
  const around = `${whole.x} ${whole.y} ${whole.width} ${whole.height}`;
  useEffect(() => setPart(undefined), [around]);
  useLayoutEffect(() => {
    const element = svg.current;
    if (!live || !element) return;
    const measure = () => {
      const { clientWidth, clientHeight } = element;
      setUnit(Math.min(clientWidth / width, clientHeight / height));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [svg, live, width, height]);

  useEffect(() => {
    const element = svg.current;
    if (!live || !element) return;
    const factorNow = (): number => whole.width / element.viewBox.baseVal.width;
    const toDrawing = ([x, y]: Pair): Pair => {
      const point = new DOMPoint(x, y).matrixTransform(element.getScreenCTM()!.inverse());
      return [point.x, point.y];
    };
    const show = (to: number, point: Pair, shares: Pair) => {
      const factor = within(to, 1, MOST);
      setPart(factor === 1 ? undefined : visiblePart(whole, factor, point, shares));
    };
    /** Magnifies, and keeps a point of the drawing at a place of the window. */
    const hold = (to: number, point: Pair, [clientX, clientY]: Pair) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const scale = Math.min(width / whole.width, height / whole.height);
      const share = (at: number, room: number, full: number): number =>
        (at - (room - full * scale) / 2) / (full * scale);
      show(to, point, [
        share(clientX - left, width, whole.width),
        share(clientY - top, height, whole.height),
      ]);
    };
    const pointers = new Map<number, Pair>();
    let grip: { point: Pair; apart: number; factor: number } | undefined;
    let dragged = false;
    const hands = (): { at: Pair; apart: number } => {
      const [first, second = first] = [...pointers.values()];
      const [[ax, ay], [bx, by]] = [first, second];
      return { at: [(ax + bx) / 2, (ay + by) / 2], apart: Math.hypot(ax - bx, ay - by) };
    };
    const down = (event: PointerEvent) => {
      if (pointers.size === 0) dragged = false;
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      if (pointers.size < 2 && event.pointerType !== "mouse") return;
      const { at, apart } = hands();
      grip = { point: toDrawing(at), apart, factor: factorNow() };
    };
    const move = (event: PointerEvent) => {
      const last = pointers.get(event.pointerId);
      if (!last || !grip) return;
      const pinched = pointers.size === 2;
      if (!pinched && grip.factor === 1) return;
      if (!dragged && Math.hypot(event.clientX - last[0], event.clientY - last[1]) < SLACK) return;
      dragged = true;
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      const { at, apart } = hands();
      hold(pinched ? (grip.factor * apart) / grip.apart : grip.factor, grip.point, at);
    };
    const up = (event: PointerEvent) => {
      pointers.delete(event.pointerId);
      grip = undefined;
    };
    const click = (event: MouseEvent) => {
      if (dragged) event.stopPropagation(); // a drag touches nothing
      dragged = false;
    };
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const at: Pair = [event.clientX, event.clientY];
      hold(factorNow() * Math.exp(-event.deltaY / (event.deltaMode ? 12 : 240)), toDrawing(at), at);
    };
    const touch = (event: TouchEvent) => {
      if (event.touches.length === 2) event.preventDefault(); // the board is magnified, not the page
    };
    const key = (event: KeyboardEvent) => {
      const times = { "+": STEP, "=": STEP, "-": 1 / STEP, "0": 0 }[event.key];
      if (times === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      show(factorNow() * times, spotOf(event.target) ?? middleOf(element.viewBox.baseVal), [0.5, 0.5]);
    };
    const focus = (event: FocusEvent) => {
      const spot = spotOf(event.target);
      const { x, y, width, height } = element.viewBox.baseVal;
      if (!spot || (spot[0] > x && spot[0] < x + width && spot[1] > y && spot[1] < y + height)) return;
      show(factorNow(), spot, [0.5, 0.5]);
    };
    const stop = new AbortController();
    const { signal } = stop;
    element.addEventListener("pointerdown", down, { signal });
    element.addEventListener("click", click, { signal, capture: true });
    element.addEventListener("wheel", wheel, { signal, passive: false });
    element.addEventListener("touchmove", touch, { signal, passive: false });
    element.addEventListener("keydown", key, { signal });
    element.addEventListener("focusin", focus, { signal });
    window.addEventListener("pointermove", move, { signal });
    window.addEventListener("pointerup", up, { signal });
    window.addEventListener("pointercancel", up, { signal });
    return () => stop.abort();
  }, [svg, live, around]);

  const factor = whole.width / box.width;
  return {
    box,
    unit,
    factor,
    by: (times) => {
      const to = within(factor * times, 1, MOST);
      setPart(to === 1 ? undefined : visiblePart(whole, to, middleOf(box), [0.5, 0.5]));
    },
    reset: () => setPart(undefined),
  };
}

export function ZoomButtons({ zoom }: { zoom: Zoom }) {
  const buttons: [string, string, () => void, boolean][] = [
    ["in", "+", () => zoom.by(STEP), zoom.factor >= MOST],
    ["out", "−", () => zoom.by(1 / STEP), zoom.factor <= 1],
    ["whole", "⤢", zoom.reset, zoom.factor <= 1],
  ];
  return (
    <div class="zoom">
      {buttons.map(([name, sign, press, off]) =>
        name === "in" || zoom.factor > 1 ? (
          <SignButton key={name} text={`zoom.${name}`} aria-disabled={off} onClick={() => off || press()}>
            <span aria-hidden="true">{sign}</span>
          </SignButton>
        ) : null,
      )}
    </div>
  );
}
