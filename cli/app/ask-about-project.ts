import path from "node:path";
import { findProject } from "../../server/config/project.ts";
import type { Terminal } from "../terminal.ts";
import type { RemoteApp } from "./remote-app.ts";

interface Unnamed {
  resources?: string[] | undefined;
  /** Set in a conversation, which the server knows the project of. */
  scope?: "project" | "configured" | undefined;
}

/**
 * A server on this computer, whose requests without names are about the project that one is in and what the server's
 * files list, as they are without a server. A server elsewhere cannot read the project, and gets them as they are.
 */
export function askAboutProject(server: RemoteApp, { url, terminal }: { url: string; terminal: Terminal }): RemoteApp {
  if (!isOfThisComputer(url)) return server;

  const withProject = async <Request extends Unnamed>(request: Request): Promise<Request> => {
    if ((request.resources ?? []).length > 0 || request.scope !== undefined) return request;
    const project = await findProject(terminal);
    if (project === undefined) return request;
    const { resources } = await server.listResources({ scope: "project" }, { signal: terminal.signal });
    const isOpenThere = resources.some(
      (listed) => listed.origin === "project" && listed.path !== null && path.resolve(listed.path) === project,
    );
    if (isOpenThere) return { ...request, scope: "project" };
    const listed = resources.filter(({ origin }) => origin === "listed").map(({ name }) => name);
    return { ...request, resources: [project, ...listed] };
  };
  return {
    ...server,
    async *ask(request, options) {
      yield* server.ask(await withProject(request), options);
    },
    search: async (request, options) => server.search(await withProject(request), options),
  };
}

/** https://www.rfc-editor.org/rfc/rfc6761#section-6.3 */
function isOfThisComputer(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
