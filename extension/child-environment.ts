import * as vscode from "vscode";
import { proxyEnvironment } from "./proxy-environment.ts";

/**
 * Read by glibc alone, which then gives large pieces of memory back as soon as they are free: a server that indexed
 * 150 MB rests at 271 MB in place of 340 (docs/performance.md).
 */
const memorySettings = { MALLOC_MMAP_THRESHOLD_: "131072" };

/** What is added to our own environment for the child process; the only file here that reads it. */
export function childEnvironment(): Record<string, string> {
  const http = vscode.workspace.getConfiguration("http");
  const settings = {
    proxy: http.get("proxy", ""),
    noProxy: http.get<readonly string[]>("noProxy", []),
    proxySupport: http.get("proxySupport", ""),
  };
  return { ...memorySettings, ...proxyEnvironment(settings, process.env) };
}
