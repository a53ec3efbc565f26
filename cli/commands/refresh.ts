import type { App } from "../../server/app.ts";
import { type CitewellError, toCitewellError, toErrorBody } from "../../server/errors.ts";
import type { AskEventOf } from "../../server/protocol/ask.ts";
import { kindOf } from "../../server/protocol/kinds/kinds.ts";
import type { ResourceListing } from "../../server/protocol/resource.ts";
import { styleOf } from "../output/answer-view.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { exitCodeOf } from "../output/exit.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { openApp, openLog } from "../app/open-app.ts";
import { cleanLine } from "../render/clean.ts";
import { createStatusLine } from "../output/status-line.ts";
import { type Terminal, write } from "../terminal.ts";

/** Fetches the newest revision of resources, whatever their policy. One that fails stays as it is, and the others go on. */
export async function refresh(names: readonly string[], options: CommonOptions, terminal: Terminal): Promise<number> {
  const { signal, stdout } = terminal;
  await using app = openApp(terminal, { log: openLog(terminal, options), quiet: options.quiet });
  const { resources } = await app.listResources({}, { signal });
  const chosen = names.length === 0 ? resources.map(({ name }) => name) : [...new Set(names)];
  const failures: { name: string; error: CitewellError }[] = [];
  const refreshed: ResourceListing[] = [];
  const status = createStatusLine(terminal.stderr, styleOf(terminal.stderr, options, terminal));
  const show = (event: AskEventOf<"progress">) => {
    if (options.quiet !== true) status.progress(event);
  };
  for (const name of chosen) {
    try {
      const before = resources.find((resource) => resource.name === name)?.revision ?? null;
      const resource = await refreshOne(name, { app, show, signal }).finally(() => status.clear());
      refreshed.push(resource);
      if (options.json !== true)
        await write(stdout, `${cleanLine(describe(resource, before), styleOf(stdout, options, terminal))}\n`);
    } catch (thrown) {
      signal.throwIfAborted();
      const error = toCitewellError(thrown);
      failures.push({ name, error });
      if (options.json !== true) await write(terminal.stderr, failureLine(name, error));
    }
  }
  const failed = failures.map(({ name, error }) => ({ name, ...toErrorBody(error) }));
  if (options.json === true) await write(stdout, jsonText({ refreshed, failed }));
  return failures[0] === undefined ? exitCodes.ok : exitCodeOf(failures[0].error);
}

async function refreshOne(
  name: string,
  { app, show, signal }: { app: App; show: (event: AskEventOf<"progress">) => void; signal: AbortSignal },
): Promise<ResourceListing> {
  for await (const event of app.refreshResource({ name }, { signal })) {
    if (event.type === "done") return event.resource;
    show(event);
  }
  throw new RangeError("a refresh ended without its last event");
}

/** `docs: 4b825dc → 9f3c1aa`. */
function describe(listing: ResourceListing, before: string | null): string {
  const { name, revision } = listing;
  const kind = kindOf(listing);
  if (revision === null) return `${name}: read in place`;
  if (before === revision) return `${name}: ${kind.shortRevision(revision)}, nothing newer`;
  const from = before === null ? "" : `, was ${kind.shortRevision(before)}`;
  return `${name}: ${kind.shortRevision(revision)}${from}`;
}

function failureLine(name: string, { message, hint }: CitewellError): string {
  return `error: ${name}: ${message}\n${hint === undefined ? "" : `hint: ${hint}\n`}`;
}
