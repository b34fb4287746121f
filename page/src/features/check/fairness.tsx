/** The verdict on the seats of a board, from played games if there are any, otherwise an estimate. */

import type { Played } from "../../core/even";
import { current, say } from "../../core/language";
import type { Course } from "../draft/use_course";

interface Props {
  /** The course of the draft without a settlement. */
  course: Course | undefined;
  played: Played | undefined;
}

/** The smallest and the largest share, in whole per cent. */
const range = (shares: number[]): { low: number; high: number } => ({
  low: Math.round(100 * Math.min(...shares)),
  high: Math.round(100 * Math.max(...shares)),
});

function words({ course, played }: Props): string {
  if (played) {
    const shares = range(played.wins.map((wins) => wins / played.games));
    return say("fairness.even", { ...shares, n: played.games.toLocaleString(current) });
  }
  if (course?.measured === false) return say("fairness.unknown");
  if (course?.rest) return say("fairness.estimated", range(course.rest.chances));
  return course?.moves ? say("fairness.unknown") : say("fairness.searching");
}

export const Fairness = (props: Props) => (
  <p class={`fairness ${props.played ? "even" : ""}`} data-course={props.course?.moves ? "ready" : "open"}>
    {words(props)}
  </p>
);
