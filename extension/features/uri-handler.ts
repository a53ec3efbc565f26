import * as vscode from "vscode";
import { showError } from "../server-error.ts";
import type { Resources } from "./resources/resources.ts";

/** Links from elsewhere: `vscode://citewell.citewell/add?url=…`, `/add?package=…`, `/open?cite=…`. */
export function registerUriHandler({ resources }: { resources: Pick<Resources, "followLink"> }): vscode.Disposable {
  return vscode.window.registerUriHandler({
    handleUri: (uri) => resources.followLink(uri).catch(showError),
  });
}
