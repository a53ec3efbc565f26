// Renders media/icon.png for the Marketplace from scripts/icon.svg. After changing the SVG, run `node scripts/icon.mjs`.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { chromium } from "playwright-core";
import { findBrowser } from "../test/support/editor/kit.mjs";
import { root } from "./prepare.mjs";

const size = 256;
const svg = await readFile(path.join(root, "scripts/icon.svg"), "utf8");
const browser = await chromium.launch({ executablePath: findBrowser(), args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: size, height: size } });
await page.setContent(`<style>body{margin:0}svg{display:block}</style>${svg}`);
await writeFile(path.join(root, "media/icon.png"), await page.screenshot({ omitBackground: true }));
await browser.close();
