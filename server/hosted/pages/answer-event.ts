/** An event of a streamed answer, as the page's script reads it. Markup is ready to be put into the page. */
export type AnswerEvent =
  /** The question. */
  | { type: "turn"; markup: string }
  /** The id of its conversation; empty for none. */
  | { type: "thread"; id: string }
  /** Above the answer. */
  | { type: "notes"; markup: string }
  | { type: "status"; text: string }
  /** How many blocks of the answer stay, and what follows them. */
  | { type: "blocks"; keep: number; blocks: readonly string[] }
  /** Below the answer. */
  | { type: "end"; markup: string };
