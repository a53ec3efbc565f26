import { parentPort } from "node:worker_threads";
import { deflateSections } from "../format/deflated-sections.ts";
import { createTermBuilder } from "./term-builder.ts";
import type { TermAnswer, TermMessage } from "./term-thread.ts";

let builder = createTermBuilder();

/** A thread that makes the sections of terms of one segment after the other. */
parentPort?.on("message", (message: TermMessage) => {
  if (message.type === "clear") builder = createTermBuilder();
  else if (message.type === "finish") {
    const sections = deflateSections(builder.finish());
    const answer: TermAnswer = { type: "finished", sections };
    parentPort?.postMessage(answer, [sections.blocks.buffer]);
  } else {
    for (const file of message.files) builder.add(file);
    const answer: TermAnswer = { type: "added" };
    parentPort?.postMessage(answer);
  }
});
