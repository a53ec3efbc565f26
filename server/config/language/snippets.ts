import * as z from "zod";
import { kinds } from "../../protocol/kinds/kinds.ts";

/** Escapes `$`, `}` and `\` for a snippet. */
export function escapeSnippet(text: string): string {
  return text.replace(/[\\$}]/g, "\\$&");
}

/** A resource of each kind, with placeholders. Editors replace tabs by their indentation. */
export const resourceSnippets: readonly { label: string; documentation: string; text: string }[] = Object.entries(
  kinds,
).map(([type, { schema, snippet }]) => {
  const fields = Object.entries({ type, name: "${2:name}", ...snippet });
  return {
    label: type,
    documentation: z.globalRegistry.get(schema.shape["type"])?.description ?? "",
    text: `{\n\t${fields.map(([key, value]) => `"${key}": "${value}"`).join(",\n\t")}\n}`,
  };
});

/** The snippet for an empty file. */
export const fileSnippet = '{\n\t"resources": [\n\t\t$0\n\t]\n}\n';
