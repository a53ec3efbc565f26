import * as vscode from "vscode";
import { isServerError, ServerError } from "../../server-error.ts";

/** Why a model of the editor did not answer, in the server's words for it. A cancellation stays what it is. */
export function toModelError(error: unknown, model: string): unknown {
  if (isServerError(error) || error instanceof vscode.CancellationError) return error;
  const said = messageOf(error);
  const details = said === "" ? "" : `: ${said}`;
  const code = error instanceof vscode.LanguageModelError ? error.code : "";
  // Vendors tell of an exhausted quota in words of their own, below any code.
  if (/quota|rate.?limit|too many requests|\b429\b/i.test(said)) {
    return new ServerError({
      tag: "ProviderRateLimited",
      error: `vscode/${model} has had too many requests${details}`,
      hint: "wait a little and ask again, or choose another model",
    });
  }
  switch (code) {
    case vscode.LanguageModelError.NoPermissions.name:
      return new ServerError({
        tag: "ProviderRefused",
        error: `Citewell may not use vscode/${model}${details}`,
        hint: "ask again and allow it, or look under Accounts, Manage Language Model Access",
      });
    case vscode.LanguageModelError.Blocked.name:
      return new ServerError({
        tag: "ProviderRefused",
        error: `the editor blocks vscode/${model}${details}`,
        hint: "choose another model: Citewell: Choose Model…",
      });
    case vscode.LanguageModelError.NotFound.name:
      return new ServerError({
        tag: "ModelNotFound",
        error: `the editor has no model ${JSON.stringify(model)} any more`,
        hint: "choose another one: Citewell: Choose Model…",
      });
    default:
      return new ServerError({
        tag: "ProviderFailed",
        error: `vscode/${model} failed${details}`,
        hint: "ask again, or choose another model",
      });
  }
}

/** The editor wraps what a vendor says, sometimes without words of its own. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error && error.cause.message !== error.message ? error.cause.message : "";
  return [error.message, cause].filter((text) => text !== "").join(": ");
}
