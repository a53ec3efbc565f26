import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import { findBrowser } from "./kit.mjs";

const flags = [
  // Chromium cannot run as root with its sandbox.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  // Loopback only.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** Launches the installed Chromium, headless. Close it with `close()`; it also ends with this process. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error("no Chromium on PATH; CHROMIUM can name one");
  const folder = await mkdtemp(path.join(os.tmpdir(), "citewell-browser-"));
  const tidy = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  try {
    const env = { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder, LANG: "C.UTF-8" };
    // Its first start takes long on a busy machine.
    const browser = await chromium.launch({ executablePath, env, args: flags, timeout: 120_000 });
    browser.once("disconnected", tidy);
    return browser;
  } catch (error) {
    tidy();
    throw error;
  }
}

/** Opens a profile of its own: cookies, storage, permissions. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  // Far more than an action needs: on a busy machine it takes seconds.
  context.setDefaultTimeout(60_000);
  return context;
}
