/** One colour, 16 by 16, drawn with strokes of the text's colour; the words beside them or a label say what they mean. */
const paths = {
  add: "M8 3v10M3 8h10",
  alert: "M8 2.2 14.2 13H1.8ZM8 6.2v3.2M8 11.2v.1",
  at: "M10.3 8a2.3 2.3 0 1 1-4.6 0 2.3 2.3 0 0 1 4.6 0Zm0 0v.8a1.6 1.6 0 0 0 3.2 0V8a5.5 5.5 0 1 0-2.3 4.5",
  check: "m3.2 8.4 3.1 3.1 6.5-7",
  chevron: "m6 4 4 4-4 4",
  circle: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11Z",
  citewell:
    "M2.7 3.7A1.7 1.7 0 0 1 4.3 2H12a1.3 1.3 0 0 1 1.3 1.3V10a1.3 1.3 0 0 1-1.3 1.3H7.3l-3 2.7v-2.7A1.7 1.7 0 0 1 2.7 9.7ZM5.7 6.7l1.6 1.6 3.2-3.3",
  copy: "M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8Z",
  cross: "m4 4 8 8m0-8-8 8",
  down: "M8 3v9.5M4 8.5l4 4 4-4",
  edit: "m3 13 .6-2.8 7-7 2.2 2.2-7 7Z",
  export: "M8 10V2.5M5 5.5l3-3 3 3M3 9.5v4h10v-4",
  file: "M4 2.5h5l3 3v8H4Zm5 0v3h3",
  history: "M3 5.2A5.5 5.5 0 1 1 2.5 8M3 2.5v2.7h2.7M8 5v3.2l2 1.3",
  info: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11Zm0 4.8v3.4M8 5.2v.1",
  library: "M3 3v10M6 3v10m2.6-9.7 3.6 9.4",
  model: "M8 2.5 9.4 6.6 13.5 8 9.4 9.4 8 13.5 6.6 9.4 2.5 8l4.1-1.4Z",
  moved: "M2.8 6.3c1.7-1.9 3.5-1.7 5.2 0s3.5 1.7 5.2 0M2.8 10.7c1.7-1.9 3.5-1.7 5.2 0s3.5 1.7 5.2 0",
  offline:
    "m2.5 2.5 11 11M2 6.3a9 9 0 0 1 2.3-1.5M6.5 4.1A9 9 0 0 1 14 6.3M4.2 9a6 6 0 0 1 2.5-1.3M9.5 7.8A6 6 0 0 1 11.8 9M8 12.2v.1",
  question: "M5.6 6a2.4 2.4 0 1 1 3.6 2.1c-.8.4-1.2.9-1.2 1.7M8 12.3v.1",
  retry: "M13 5.2A5.5 5.5 0 1 0 13.5 8M13 2.5v2.7h-2.7",
  send: "M8 13V3.5M4 7.5l4-4 4 4",
  shield: "M8 2.2 13 4v3.7c0 3-2 5.1-5 6.1-3-1-5-3.1-5-6.1V4Z",
  stop: "M4.5 4.5h7v7h-7Z",
  tool: "m9.7 6.3 3.1-3.1a3.3 3.3 0 0 1-4.3 4.3l-4.8 4.8-1.5-1.5L7 6a3.3 3.3 0 0 1 4.3-4.3L8.7 4.3l.2 1.8Z",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, isSpinning }: { name: IconName; isSpinning?: boolean }) {
  return (
    <svg class={isSpinning === true ? "icon spin" : "icon"} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
