import { Console } from "node:console";
import { version } from "../../package.json";
import { isRunning } from "../../server/lib/owner.ts";
import { createLog, type Log } from "../../server/lib/log.ts";
import { serveMcpStdio } from "../../server/transports/mcp/serve-stdio.ts";
import { forwardOperations } from "../../server/protocol/handlers.ts";
import type { Handlers } from "../../server/protocol/operations.ts";
import { type AgentHandlers, agentOperations } from "../../server/transports/mcp/tools.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { limitHeapGrowth } from "../heap-growth.ts";
import { Interruption, type Terminal } from "../terminal.ts";
import { prepareProject } from "../app/prepare-project.ts";
import { watchConfig } from "../app/watch-config.ts";

/** Serves one agent over standard input and output, until it leaves. */
export async function mcp(
  { verbose, quiet, structured }: CommonOptions & { structured?: boolean },
  terminal: Terminal,
): Promise<number> {
  // Standard output belongs to the protocol; what a package has to say goes to the other stream.
  globalThis.console = new Console(terminal.stderr);
  limitHeapGrowth();
  const level = verbose === true ? "debug" : quiet === true ? "silent" : "warn";
  const log = createLog(level, (line) => terminal.stderr.write(line));
  await using app = openLater(terminal, { log });
  using _ = prepareSoon(app, { log });
  const { stdin: input, stdout: output, signal, cwd } = terminal;
  const parent = process.ppid;
  const isClientThere = () => isRunning(parent);
  await serveMcpStdio({
    app,
    version,
    log,
    watchResources: watchConfig(terminal),
    cwd,
    structured,
    input,
    output,
    signal,
    isClientThere,
  });
  return signal.reason instanceof Interruption ? signal.reason.exitCode : exitCodes.ok;
}

/** The project is indexed so long after the start: a client that starts many servers wants their tools at once. */
const prepareMs = 1000;

function prepareSoon(app: Pick<Handlers, "prepare">, { log }: { log: Log }): Disposable {
  const timer = setTimeout(() => prepareProject(app, { log }), prepareMs).unref();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** The application, opened with the first call: a client wants to see the tools at once. */
function openLater(
  terminal: Terminal,
  { log }: { log: Log },
): AgentHandlers & Pick<Handlers, "prepare"> & AsyncDisposable {
  let opening: Promise<Handlers & AsyncDisposable> | undefined;
  const open = () => {
    opening ??= import("../app/agent-app.ts").then(({ openAgentApp }) => openAgentApp(terminal, { log }));
    return opening;
  };
  return {
    ...forwardOperations([...agentOperations, "prepare"], open),
    async [Symbol.asyncDispose]() {
      await (await opening)?.[Symbol.asyncDispose]();
    },
  };
}
