import { Worker } from "node:worker_threads";
import * as z from "zod";
import type { TermSections } from "./segment-maker.ts";
import type { TermFile } from "./term-builder.ts";

/** Files of a segment, the end of it, or that it is not wanted any more. */
export type TermMessage = { type: "add"; files: readonly TermFile[] } | { type: "finish" } | { type: "clear" };

const TermAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("added") }),
  z.object({
    type: z.literal("finished"),
    /** As in `deflated-sections.ts`, which a thread loads without what checks it. */
    sections: z.object({
      lengths: z.record(z.string(), z.number()),
      blocks: z.instanceof(Uint8Array<ArrayBuffer>),
      ends: z.array(z.number()),
    }),
  }),
]);
export type TermAnswer = z.infer<typeof TermAnswer>;

/** The limits in MB; as much as the process itself may take. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
/** Sent at once, in UTF-16 units of text: one after the other, files would wait for each other's answers. */
const messageLength = 64 * 1024;
/** Not yet answered: enough that the thread never waits, little enough that texts do not pile up before it. */
const messagesAhead = 8;

/**
 * Makes them in a thread of its own, which ends the process where it fails. `file` is the module of `term-worker.ts`.
 */
export function createTermThread(file: URL): TermSections {
  const worker = new Worker(file, { resourceLimits });
  let files: TermFile[] = [];
  let length = 0;
  let unanswered = 0;
  let goOn = () => {};
  const finishing: ((sections: TermAnswer & { type: "finished" }) => void)[] = [];
  const tell = (message: TermMessage) => worker.postMessage(message);
  worker.on("message", (message) => {
    const answer = TermAnswer.parse(message);
    if (answer.type === "finished") finishing.shift()?.(answer);
    else if (unanswered-- === messagesAhead) goOn();
  });
  // `unref` so that an idle worker does not keep the process alive; a message listener would.
  worker.unref();

  return {
    async add(file) {
      files.push(file);
      length += file.text.length;
      if (length < messageLength) return;
      send();
      if (unanswered >= messagesAhead) await new Promise<void>((resolve) => (goOn = resolve));
    },
    async finish() {
      send();
      tell({ type: "finish" });
      const { sections } = await new Promise<TermAnswer & { type: "finished" }>((resolve) => finishing.push(resolve));
      return sections;
    },
    clear() {
      files = [];
      length = 0;
      tell({ type: "clear" });
    },
  };

  function send(): void {
    tell({ type: "add", files });
    unanswered++;
    files = [];
    length = 0;
  }
}
