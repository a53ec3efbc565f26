import * as z from "zod";
import { EditorSettings } from "../../protocol/editor-settings.ts";
import { describeIssues } from "../../protocol/validation.ts";

/** Those that bound a question, where they are set. They stand over both configuration files. */
export type EditorLimits = z.output<typeof EditorLimits>;
const EditorLimits = EditorSettings.omit({ showReasoning: true, showTools: true });

/** The editor's settings. An invalid one is reported in a sentence and ignored; the others apply. */
export function readSettings(raw: unknown): { limits: EditorLimits; faults: string[] } {
  const sent = Sent.safeParse(raw).data?.settings ?? {};
  const faults: string[] = [];
  const good = Object.entries(EditorLimits.shape).filter(([key, schema]) => {
    const value = sent[key] ?? undefined;
    const { error } = z.object({ [key]: schema }).safeParse({ [key]: value });
    if (error !== undefined) faults.push(`citewell.${describeIssues(error, { [key]: value })}`);
    return error === undefined && value !== undefined;
  });
  return { limits: EditorLimits.parse(Object.fromEntries(good.map(([key]) => [key, sent[key]]))), faults };
}

const Sent = z.object({ settings: z.record(z.string(), z.unknown()) });
