import * as z from "zod";
import { type CitedPlace, markerOf } from "../../protocol/cited-place.ts";
import { changeWords, summarizeUpgrade, type UpgradeFinding, type UpgradeReport } from "../../protocol/upgrade.ts";
import { defineTool, type ToolContext } from "./define.ts";
import { note } from "./show.ts";

/** Compares what the open project uses of a package with another version of it. */
export type FindUpgrade = (
  asked: { package: string; to?: string | undefined },
  options: { signal: AbortSignal | undefined },
) => Promise<UpgradeReport>;

const inputSchema = z.object({
  package: z.string().min(1).describe("A dependency of the project."),
  to: z.string().optional().describe("The wanted version. Default: the newest."),
});

/** The limit in characters: about 2,000 tokens. */
const room = 8000;

export function upgradeTool({ ledger }: Pick<ToolContext, "ledger">, find: FindUpgrade) {
  return defineTool({
    name: "upgrade",
    description:
      "Compare what the project uses of a dependency with another version: what was removed, deprecated or changed, with the project's line, both declarations and the changelog, each under its marker.",
    inputSchema,
    async run(asked, { signal }) {
      const upgrade = await find(asked, { signal });
      const blocks: string[] = [];
      let length = 0;
      for (const finding of upgrade.findings) {
        const block = showFinding(finding);
        length += block.length;
        if (length > room) break;
        blocks.push(block);
        for (const place of placesOf(finding)) ledger.show(place);
      }
      const left = upgrade.total - blocks.length;
      const rest = left > 0 ? [note(`${left} less certain findings are not shown`)] : [];
      const unseen = note(`not seen: ${upgrade.notes.join("; ")}`);
      return {
        text: [summarizeUpgrade(upgrade), ...blocks, ...rest, unseen].join("\n\n"),
        data: { upgrade },
        metadata: { findings: upgrade.total },
      };
    },
  });
}

function placesOf({ uses, before, after, notes }: UpgradeFinding): CitedPlace[] {
  return [...uses, before, after, ...notes].filter((place) => place !== undefined);
}

function showFinding({ name, change, certainty, uses, useCount, before, after, notes }: UpgradeFinding): string {
  const more = useCount > uses.length ? [`(${useCount - uses.length} more lines)`] : [];
  return [
    `${name}: ${changeWords[change]}, ${certainty}`,
    ...uses.map((place) => showPlace("yours", place)),
    ...more,
    ...(before === undefined ? [] : [showPlace("before", before)]),
    ...(after === undefined ? [] : [showPlace("after", after)]),
    ...notes.map((place) => showPlace("changelog", place)),
  ].join("\n");
}

function showPlace(label: string, place: CitedPlace): string {
  return `  ${label} ${markerOf(place)} | ${place.text.trim()}`;
}
