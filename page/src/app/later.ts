/** The parts that load when they are opened: one file, so that the first visit has few requests. */
export { Day } from "../features/day/game";
export { Tree } from "../features/draft/tree";
export { Lesson } from "../features/lesson/lesson";
