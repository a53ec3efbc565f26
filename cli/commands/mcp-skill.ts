import { exitCodes } from "../output/exit-codes.ts";
import { skillText } from "../agent-settings/skill.ts";
import { type Terminal, write } from "../terminal.ts";

/** Prints a skill for agents that run commands. */
export async function mcpSkill({ stdout }: Terminal): Promise<number> {
  await write(stdout, skillText);
  return exitCodes.ok;
}
