import path from "node:path";
import { toAbsolutePath } from "../../lib/absolute-path.ts";
import { readTextFile } from "./files.ts";
import type { PackageLocation } from "./package-location.ts";

/** Logins by host. The entry `default` is not read: a project may choose the host. */
export async function readNetrc({
  env,
  homeDirectory,
  platform,
  cwd,
}: PackageLocation): Promise<{ host: string; login: string; password: string }[]> {
  const names = platform === "win32" ? ["_netrc", ".netrc"] : [".netrc"];
  const named = env["NETRC"];
  const files = named
    ? [toAbsolutePath(named, { folder: cwd, homeDirectory })]
    : names.map((name) => path.join(homeDirectory, name));
  const texts = await Promise.all(files.map(readTextFile));
  const entries = (texts.find((text) => text !== undefined) ?? "")
    .replace(/^\s*#.*$/gm, "")
    .split(/\b(?=(?:machine|default)\s)/);
  return entries.flatMap((entry) => {
    const [, host] = /^machine\s+(\S+)/.exec(entry) ?? [];
    const [, login = ""] = /\slogin\s+(\S+)/.exec(entry) ?? [];
    const [, password = ""] = /\spassword\s+(\S+)/.exec(entry) ?? [];
    return host === undefined ? [] : [{ host, login, password }];
  });
}
