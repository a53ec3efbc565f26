import { existsSync } from "node:fs";
import path from "node:path";
import { type Agent, agents } from "./agents.ts";
import { agentsFolder } from "./packages.mjs";

/** An agent that is installed here. */
export interface InstalledAgent extends Agent {
  executable: string;
}

/** The agents in a folder that has a folder for each, with its package; by default the ones that `npm test` installs. */
export function installedAgents(folder: string = agentsFolder): InstalledAgent[] {
  return agents.flatMap((agent) => {
    const executable = path.join(folder, agent.id, "node_modules", ".bin", agent.id);
    return existsSync(executable) ? [{ ...agent, executable }] : [];
  });
}
