import type { App } from "../../server/app.ts";
import { CitewellError } from "../../server/errors.ts";
import { formatAge } from "../../server/lib/age.ts";
import { threadMarkdown } from "../../client/thread-markdown.ts";
import type { ThreadSummary } from "../../server/protocol/threads.ts";
import { styleOf } from "../output/answer-view.ts";
import type { ServerOptions } from "../definitions/global-options.ts";
import type { ThreadAction } from "../definitions/threads.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { findThread } from "../input/find-thread.ts";
import { byPlace } from "../../client/thread-place.ts";
import { jsonText } from "../output/json.ts";
import { openApp, openLog } from "../app/open-app.ts";
import { openPrompts } from "../input/prompts.ts";
import { cleanLine } from "../render/clean.ts";
import type { Style } from "../render/style.ts";
import { formatFor } from "../render/table.ts";
import { renderThread } from "../render/thread.ts";
import { type Terminal, write } from "../terminal.ts";

/** Options of `citewell threads`. */
export interface ThreadsOptions extends ServerOptions {
  thinking: boolean;
  tools: boolean;
  yes?: boolean;
  dryRun?: boolean;
  /** Those of other projects, too. */
  all?: boolean;
}

/** The conversations that are kept: all of them, or one, to read, to go on with, to remove, to take along. */
export async function threads(
  action: ThreadAction,
  id: string | undefined,
  options: ThreadsOptions,
  terminal: Terminal,
): Promise<number> {
  const { stdout } = terminal;
  const isJson = options.json === true;
  if (action === "resume") {
    const thread = await resolveId(requiredId(id, action), options, terminal);
    return (await import("./converse.ts")).converse({ ...options, thread }, terminal);
  }
  await using app = openApp(terminal, { log: openLog(terminal, options), quiet: options.quiet });
  if (action === "list") {
    const list = await app.listThreads({});
    if (isJson) await write(stdout, jsonText(list));
    else await writeList(list.threads, options, terminal);
    return exitCodes.ok;
  }
  const found = await findThread(app, requiredId(id, action));
  switch (action) {
    case "delete":
      return remove(found, app, options, terminal);
    case "show":
    case "export": {
      const thread = await app.getThread(found);
      if (isJson) await write(stdout, jsonText(thread));
      else if (action === "export") await write(stdout, threadMarkdown(thread));
      else await write(stdout, renderThread(thread, styleOf(stdout, options, terminal)));
      return exitCodes.ok;
    }
  }
}

/** This project's conversations; those of others under a heading, or only counted. */
async function writeList(
  threads: readonly ThreadSummary[],
  options: ThreadsOptions,
  { stdout, stderr, ...terminal }: Terminal,
): Promise<void> {
  const style = styleOf(stdout, options, { stdout, stderr, ...terminal });
  const { here, elsewhere } = byPlace(threads);
  if (here.length === 0) {
    await write(stderr, elsewhere.length === 0 ? "no conversation is kept yet\n" : "no conversation of this project\n");
  }
  await write(
    stdout,
    formatFor(
      stdout,
      here.map((thread) => toRow(thread, style)),
    ),
  );
  if (elsewhere.length === 0) return;
  if (options.all === true) {
    const heading = here.length === 0 ? "" : "\n";
    const rows = elsewhere.map((thread) => toRow(thread, style));
    await write(stdout, `${heading}Other projects\n${formatFor(stdout, rows)}`);
    return;
  }
  const count = elsewhere.length === 1 ? "1 conversation" : `${elsewhere.length} conversations`;
  await write(stderr, `${count} of other projects: citewell threads --all\n`);
}

/** The whole id. The application is closed again: the conversation opens its own. */
async function resolveId(text: string, options: ThreadsOptions, terminal: Terminal): Promise<string> {
  await using app = openApp(terminal, { log: openLog(terminal, options), quiet: options.quiet });
  return (await findThread(app, text)).id;
}

function requiredId(id: string | undefined, action: string): string {
  if (id !== undefined) return id;
  throw new CitewellError("InvalidUsage", `no thread was given (id): citewell threads ${action} <id>`, {
    hint: "citewell threads lists them",
  });
}

function toRow({ id, updatedAt, turnCount, resources, title }: ThreadSummary, style: Style): string[] {
  const turns = `${turnCount} ${turnCount === 1 ? "question" : "questions"}`;
  return [
    id,
    formatAge(Date.now() - Date.parse(updatedAt)),
    turns,
    cleanLine(`${resources.join(", ")}: ${title}`, style),
  ];
}

async function remove(thread: ThreadSummary, app: App, options: ThreadsOptions, terminal: Terminal): Promise<number> {
  const { id } = thread;
  const isJson = options.json === true;
  const described = toRow(thread, styleOf(terminal.stderr, options, terminal)).join("  ");
  if (options.dryRun === true) {
    await write(terminal.stdout, isJson ? jsonText({ wouldRemove: thread }) : `would remove ${described}\n`);
    return exitCodes.ok;
  }
  if (options.yes !== true) {
    const missing = new CitewellError(
      "InvalidUsage",
      "a conversation would be removed, and nobody confirms it (--yes)",
      {
        hint: `citewell threads delete ${id} --yes`,
      },
    );
    const prompts = await openPrompts(terminal, options, missing);
    await write(terminal.stderr, `${described}\n`);
    if (!(await prompts.confirm("Remove this conversation?"))) {
      throw new CitewellError("Cancelled", "nothing was removed");
    }
  }
  const removed = await app.deleteThread({ id });
  await write(terminal.stdout, isJson ? jsonText(removed) : `removed ${id}\n`);
  return exitCodes.ok;
}
