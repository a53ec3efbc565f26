import * as vscode from "vscode";
import { proxyEnvironment } from "./proxy-environment.ts";

/**
 * Read by glibc alone, which then gives large pieces of memory back as soon as they are free; by itself it keeps more
 * with each piece that is.
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
