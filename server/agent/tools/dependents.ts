import * as z from "zod";
import { defineTool } from "./define.ts";
import type { Origins } from "./imported.ts";

const inputSchema = z.object({ name: z.string().min(1).describe("The name of the package.") });

/** What asks for a package that the open projects use; only the built-in provider has it. */
export function dependentsTool({ dependentsOf }: Pick<Origins, "dependentsOf">) {
  return defineTool({
    name: "dependents",
    description: "List what asks for a package that the project uses, by the metadata of what is installed.",
    inputSchema,
    async run({ name }) {
      const found = await dependentsOf(name);
      const dependents = found.map(({ used, by }) => {
        const { name: full, version = "", origin } = used;
        return { name: full, version, origin, by: by.map((one) => ({ ...one })) };
      });
      const count = dependents.reduce((sum, { by }) => sum + by.length, 0);
      return { text: JSON.stringify(dependents), data: { dependents }, metadata: { dependents: count } };
    },
  });
}
