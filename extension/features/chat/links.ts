import * as vscode from "vscode";

const schemes = ["http:", "https:", "mailto:"];

/** Whether a link of an answer may leave the editor: files, commands and other programs are never reached by one. */
export function isOpenable(url: string): boolean {
  return URL.canParse(url) && schemes.includes(new URL(url).protocol);
}

/** Opens a link of an answer in the browser; the editor itself asks about hosts that are not trusted. */
export async function openLink(url: string): Promise<void> {
  if (isOpenable(url)) await vscode.env.openExternal(vscode.Uri.parse(url, true));
}
