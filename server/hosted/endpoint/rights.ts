import { CitewellError } from "../../errors.ts";
import type { OperationName } from "../../protocol/operations.ts";
import type { Holder } from "./holders.ts";
import { type HostedTool, hostedTools } from "./tools.ts";

/** What the holder of a request may do. Which resources exist for it, its project decides (`ProjectUse`). */
export interface Grant {
  tools: readonly HostedTool[];
  /** The operations behind them. */
  operations: ReadonlySet<OperationName>;
  /** @throws OperationNotAllowed (the scope is missing, or the key is limited to some resources); not for an unknown tool */
  require(tool: string): void;
}

/** Decides the rights of a holder: for the list of tools, for calls, and for the operations of the project. */
export function grantTo({ kind, scopes: own, resources }: Pick<Holder, "kind" | "scopes" | "resources">): Grant {
  const hasScope = ({ scopes }: HostedTool) => scopes.some((scope) => own.includes(scope));
  // A limited key could not read what it adds.
  const isClosed = ({ operation }: HostedTool) => operation === "addResource" && resources !== null;
  const tools = hostedTools.filter((tool) => hasScope(tool) && !isClosed(tool));
  const operations = new Set(tools.map(({ operation }) => operation));
  // An answer that is not complete in time needs them, and so does the check for a configured model.
  if (own.includes("ask")) operations.add("search").add("getConfig");
  return {
    tools,
    operations,
    require(name) {
      const tool = hostedTools.find((candidate) => candidate.name === name);
      if (tool === undefined || tools.includes(tool)) return;
      if (hasScope(tool)) {
        throw new CitewellError("OperationNotAllowed", "a key that is limited to some resources cannot add one", {
          hint: "use a key for all resources",
        });
      }
      throw new CitewellError("OperationNotAllowed", `the tool "${name}" needs the scope ${tool.scopes.join(" or ")}`, {
        hint: `this ${kind} has ${own.length === 0 ? "none" : own.join(", ")}`,
      });
    },
  };
}
