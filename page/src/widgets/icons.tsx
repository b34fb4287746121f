/** Icons as outlines in a square of 24 units, in the colour of the text. */

const PATHS = {
  about: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 7.800v.1",
  bad: "M6 6l12 12M18 6L6 18",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5.500l3.500 2",
  close: "M6 6l12 12M18 6L6 18",
  day: "M5 6h14v14H5zM5 11h14M9 3v5M15 3v5",
  down: "M6 9l6 6 6-6",
  edit: "M4 20l1-4L16.500 4.500l3 3L8 19zM14 7l3 3",
  full: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  good: "M5 12.500l4.500 4.500L19 7.500",
  lesson: "M12 6c-2-1.500-5-2-9-2v14c4 0 7 .5 9 2 2-1.500 5-2 9-2V4c-4 0-7 .5-9 2zM12 6v14",
  looks: "M4 7h9M17 7h3M15 4.500v5M4 17h3M11 17h9M9 14.500v5M4 12h1",
  plus: "M12 5v14M5 12h14",
  search: "M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM15.500 15.500L20 20",
  share: "M12 3v12M7.500 7.500L12 3l4.500 4.500M5 12v8h14v-8",
  star: "M12 3.500l2.600 5.400 5.900.8-4.300 4.100 1.100 5.900-5.300-2.900-5.300 2.900 1.100-5.900-4.300-4.100 5.900-.8z",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  redo: "M15 5l5 5-5 5M20 10h-9a5.500 5.500 0 0 0 0 11h2",
  undo: "M9 5L4 10l5 5M4 10h9a5.500 5.500 0 0 1 0 11h-2",
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name, filled }: { name: IconName; filled?: boolean }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill={filled ? "currentColor" : "none"}>
    <path d={PATHS[name]} />
  </svg>
);
