import * as z from "zod";
import { WrittenSettings } from "./settings.ts";

/**
 * The editor's settings, below `citewell.`. Those that bound a question take precedence over both configuration files
 * where they are set; provider and model never do (docs/contract.md). The settings page is generated from this.
 */
export const EditorSettings = z
  .object({
    ...WrittenSettings.omit({ provider: true, model: true }).shape,
    showReasoning: z.boolean().default(true).describe("Show the model's reasoning, collapsed, above the answer."),
    showTools: z.boolean().default(true).describe("Show tool calls, collapsed, above the answer."),
  })
  .meta({ id: "EditorSettings" });
export type EditorSettings = z.infer<typeof EditorSettings>;
