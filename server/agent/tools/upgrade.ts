import * as z from "zod";
import type { CitedPlace } from "../../protocol/cited-place.ts";
import { showUpgrade, type UpgradeFinding, type UpgradeReport } from "../../protocol/upgrade.ts";
import { defineTool, type ToolContext } from "./define.ts";

/** Compares what the open project uses of a package with another version of it. */
export type FindUpgrade = (
  asked: { package: string; to?: string | undefined },
  options: { signal: AbortSignal | undefined },
) => Promise<UpgradeReport>;

const inputSchema = z.object({
  package: z.string().min(1).describe("A dependency of the project."),
  to: z.string().optional().describe("The wanted version, or another package: `other@5`. Default: the newest."),
});

export function upgradeTool({ ledger }: Pick<ToolContext, "ledger">, find: FindUpgrade) {
  return defineTool({
    name: "upgrade",
    description:
      "Compare what the project uses of a dependency with another version: what was removed, deprecated or changed, with the project's line, both declarations and the changelog, each under its marker.",
    inputSchema,
    async run(asked, { signal }) {
      const upgrade = await find(asked, { signal });
      const { text, shown } = showUpgrade(upgrade);
      for (const place of shown.flatMap(placesOf)) ledger.show(place);
      return { text, data: { upgrade }, metadata: { findings: upgrade.total } };
    },
  });
}

function placesOf({ uses, before, after, notes }: UpgradeFinding): CitedPlace[] {
  return [...uses, before, after, ...notes].filter((place) => place !== undefined);
}
