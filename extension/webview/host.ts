import * as z from "zod";
import { type FromWebview, ToWebview } from "./messages.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

/** What survives hiding the view and reloading the window. */
const Kept = z.object({
  draft: z.string().catch(""),
  /** Whether a fold is open, where the person has said so. */
  folds: z.record(z.string(), z.boolean()).catch({}),
  /** Pixels from the top; `end` follows the end, null follows an answer until its question is at the top. */
  scrollTop: z
    .union([z.number(), z.literal("end")])
    .nullable()
    .catch(null),
});
export type Kept = z.infer<typeof Kept>;

/** The extension, as the chat sees it. */
export interface Host {
  send(message: FromWebview): void;
  readonly kept: Kept;
  keep(changes: Partial<Kept>): void;
  /** Messages that are none of the contract's are dropped. */
  onMessage(listener: (message: ToWebview) => void): void;
}

/** How many folds are remembered; older ones go first. */
const foldLimit = 500;

/** Must be called once: VS Code hands its side out only once. */
export function connectHost(): Host {
  const api = acquireVsCodeApi();
  let kept = Kept.parse(api.getState() ?? {});
  return {
    send: (message) => api.postMessage(message),
    get kept() {
      return kept;
    },
    keep(changes) {
      kept = { ...kept, ...changes };
      kept.folds = Object.fromEntries(Object.entries(kept.folds).slice(-foldLimit));
      api.setState(kept);
    },
    onMessage(listener) {
      window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
        const message = ToWebview.safeParse(data);
        if (message.success) listener(message.data);
      });
    },
  };
}
