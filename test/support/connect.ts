import { createParser } from "eventsource-parser";
import { createLocalApp, type LocalAppOptions } from "../../server/local-app.ts";
import { CitewellError } from "../../server/errors.ts";
import { silentLog } from "../../server/lib/log.ts";
import { AskEvent, type AskRequest } from "../../server/protocol/ask.ts";
import { ErrorBody } from "../../server/protocol/error.ts";
import { callOperation } from "../../server/transports/call-operation.ts";
import { serveHttp } from "../../server/transports/http/http.ts";
import { cliEnvironment, runCli } from "./cli.ts";
import { startLsp } from "./lsp.ts";

/** A connection that asks questions. Failures before and after the first event both become an `error` event. */
export interface Connection extends AsyncDisposable {
  ask(request: AskRequest): Promise<AskEvent[]>;
}

/** All transports, with configuration and data in `folder`. */
export const transports: Record<string, (folder: string) => Promise<Connection>> = {
  "in process": async (folder) => {
    const app = localApp(folder);
    return {
      async ask(request) {
        const events: AskEvent[] = [];
        try {
          for await (const event of callOperation(app, "ask", request, {})) events.push(event);
        } catch (error) {
          events.push(toErrorEvent(error));
        }
        return events;
      },
      [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
    };
  },
  http: async (folder) => {
    const app = localApp(folder);
    const server = await serveHttp({ app, version: "0.0.0", port: 0, log: silentLog });
    return {
      async ask(request) {
        const response = await fetch(`http://127.0.0.1:${server.port}/question/stream`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(request),
        });
        const body = await response.text();
        if (!response.ok) return [fromErrorBody(ErrorBody.parse(JSON.parse(body)))];
        return parseEvents(body);
      },
      async [Symbol.asyncDispose]() {
        await server.close();
        await app[Symbol.asyncDispose]();
      },
    };
  },
  lsp: async (folder) => {
    const client = await startLsp({ folder });
    return {
      async ask(request) {
        const { events, ...reply } = await client.stream("citewell/ask", request);
        const sent = events.map((event) => AskEvent.parse(event));
        if ("result" in reply) return sent;
        if (reply.body === undefined) throw new Error(`an error without a body: ${reply.message}`);
        return [...sent, fromErrorBody(reply.body)];
      },
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    };
  },
  cli: async (folder) => ({
    async ask({ question, resources = [] }) {
      const named = resources.flatMap((resource) => ["-r", resource]);
      const { stdout } = await runCli(["ask", "--jsonl", "-q", question, ...named], { cwd: folder });
      return stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line): unknown => JSON.parse(line))
        .map((line) => AskEvent.safeParse(line).data ?? fromErrorBody(ErrorBody.parse(line)));
    },
    async [Symbol.asyncDispose]() {},
  }),
};

/** The app of one user, with configuration and data in `folder`. */
export function localApp(
  folder: string,
  env: Record<string, string> = {},
  options: Pick<LocalAppOptions, "followsFolders" | "projects"> = {},
) {
  return createLocalApp({
    ...options,
    location: {
      cwd: folder,
      env: cliEnvironment(folder, env),
      platform: process.platform,
      homeDirectory: folder,
    },
    log: silentLog,
  });
}

/** Parses a body of server-sent events. */
export function parseEvents(body: string): AskEvent[] {
  const events: AskEvent[] = [];
  const parser = createParser({
    onEvent({ event, data }) {
      const parsed = AskEvent.parse(JSON.parse(data));
      if (parsed.type !== event) throw new Error(`the frame's event is ${event}, its data is ${parsed.type}`);
      events.push(parsed);
    },
  });
  parser.feed(body);
  return events;
}

function toErrorEvent(error: unknown): AskEvent {
  if (!(error instanceof CitewellError)) throw error;
  const { tag, message, hint } = error;
  return { type: "error", tag, message, ...(hint === undefined ? {} : { hint }) };
}

function fromErrorBody({ error, tag, hint }: ErrorBody): AskEvent {
  return { type: "error", tag, message: error, ...(hint === undefined ? {} : { hint }) };
}
