import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type Browser, chromium } from "playwright-core";
import { findBrowser } from "./kit.mjs";

const flags = [
  // Chromium refuses to run as root with its sandbox on.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  // Nothing but this machine.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** The Chromium of this machine, without a window. It ends with this process; to be closed with `close()`. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error("no Chromium on PATH; CHROMIUM can name one");
  const folder = await mkdtemp(path.join(os.tmpdir(), "citewell-browser-"));
  const tidy = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  try {
    const env = { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder, LANG: "C.UTF-8" };
    const browser = await chromium.launch({ executablePath, env, args: flags });
    browser.once("disconnected", tidy);
    return browser;
  } catch (error) {
    tidy();
    throw error;
  }
}
