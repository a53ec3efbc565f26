import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { defineTool } from "./define.ts";

/** Packages of the open project that the model may open by itself: those that the question or the code names. */
export interface Openable {
  /** Names or references with their versions; grows with those that names of the code come from. */
  packages: readonly { name: string; version: string }[];
  /** Adds the package to the resources of the question, and returns its name there. @throws what opening throws */
  open(name: string, options: { signal: AbortSignal | undefined }): Promise<{ resource: string; label: string }>;
}

/** How many a model may open for one question: it stays about what the user asked. */
const openLimit = 2;

const inputSchema = z.object({ package: z.string().min(1).describe("The name of the package.") });

export function openTool({ packages, open }: Openable) {
  const opened = new Set<string>();
  const listed = packages.map(({ name, version }) => `${name} ${version}`).join(", ");
  return defineTool({
    name: "open",
    description: `Open a package that the project depends on, at its installed version, to look into its code: ${listed}.
Use it when the answer depends on what the package itself does. At most ${openLimit} for a question. The other tools then find its files.`,
    inputSchema,
    async run({ package: name }, { signal }) {
      if (packages.every((candidate) => candidate.name !== name)) {
        throw new CitewellError("PackageNotFound", `${JSON.stringify(name)} cannot be opened`, {
          hint: `these can: ${listed}`,
        });
      }
      if (!opened.has(name) && opened.size >= openLimit) {
        throw new CitewellError("InvalidRequest", `${opened.size} packages are open for this question already`, {
          hint: "answer from the resources that are open",
        });
      }
      opened.add(name);
      const { resource, label } = await open(name, { signal });
      return {
        text: `opened ${label} as the resource ${resource}`,
        data: { opened: resource },
        metadata: { resource },
      };
    },
  });
}
