import * as vscode from "vscode";

/** What one may ask next. A failure gets none: its message says what to do. */
export function followupsFor({ metadata }: vscode.ChatResult): vscode.ChatFollowup[] {
  const states: unknown = metadata?.["states"];
  if (!Array.isArray(states)) return [];
  const next = [
    {
      label: vscode.l10n.t("Show an example"),
      prompt: vscode.l10n.t("Show me an example of it, from the tests if there are some."),
    },
    { label: vscode.l10n.t("Go into detail"), prompt: vscode.l10n.t("Go into the details of how it works.") },
  ];
  const { offers, prompt } = metadata ?? {};
  const include = (Array.isArray(offers) ? offers : []).map((name) => ({
    label: vscode.l10n.t("Ask about {0} as well", String(name)),
    prompt: `@workspace @npm:${String(name)} ${String(prompt)}`,
  }));
  const isDoubtful = states.some((state) => state !== "verified" && state !== "relocated");
  const check = { label: vscode.l10n.t("Verify the citations"), prompt: "", command: "verify" };
  return [...include, ...(isDoubtful ? [check] : []), ...next];
}
