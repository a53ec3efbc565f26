import { notesBefore } from "../../client/answer/notes.ts";
import { showInvisibleInLine } from "../../server/protocol/invisible.ts";
import type { Unavailable } from "../../server/protocol/resource.ts";
import { type Terminal, write } from "../terminal.ts";

/** Names on standard error what could not be opened, as `ask` does. */
export async function reportUnavailable(unavailable: Unavailable[] = [], stderr: Terminal["stderr"]): Promise<void> {
  for (const { title, text } of notesBefore({ snapshots: [], unavailable }))
    await write(stderr, `${showInvisibleInLine(`${title} ${text}`)}\n`);
}
