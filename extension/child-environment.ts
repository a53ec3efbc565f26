import * as vscode from "vscode";
import { memorySettings } from "./memory-settings.ts";
import { proxyEnvironment } from "./proxy-environment.ts";

/** Additions to our own environment for the child process; only this file reads it. */
export function childEnvironment(): Record<string, string> {
  const http = vscode.workspace.getConfiguration("http");
  const settings = {
    proxy: http.get("proxy", ""),
    noProxy: http.get<readonly string[]>("noProxy", []),
    proxySupport: http.get("proxySupport", ""),
  };
  return { ...memorySettings, ...proxyEnvironment(settings, process.env) };
}
