import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import bundledPackages from "../../scripts/bundled-packages.json";
import { writeSbom } from "../../scripts/sbom.mjs";
import { readNotices } from "../../scripts/third-party-notices.mjs";
import { temporaryFolder } from "../support/folder.ts";

const root = path.resolve(import.meta.dirname, "../..");
const list = "scripts/bundled-packages.json";
const bundled = readNotices(readFileSync(path.join(root, "dist/THIRD-PARTY-NOTICES.txt"), "utf8"));
const listed = Object.entries(bundledPackages).flatMap(([license, names]) => names.map((name) => ({ name, license })));

test("what enters dist/ is listed with its licence, and nothing else is", () => {
  const isSame = (one: { name: string; license: string }, other: { name: string; license: string }) =>
    one.name === other.name && one.license === other.license;
  const added = bundled
    .filter((one) => !listed.some((other) => isSame(one, other)))
    .map(({ name, license }) => `${name} (${license}) is new in dist/: may we ship it? Then list it in ${list}`);
  const gone = listed
    .filter((one) => !bundled.some((other) => isSame(one, other)))
    .map(({ name, license }) => `${name} (${license}) is no longer in dist/: remove it from ${list}`);
  expect([...added, ...gone]).toEqual([]);
});

test("the bill of materials has what is bundled, each with its checksum, and no tools", async () => {
  await using folder = await temporaryFolder();
  const text = await readFile(await writeSbom(path.join(folder.path, "citewell.vsix")), "utf8");
  const Component = z.object({ "bom-ref": z.string(), hashes: z.array(z.object({ content: z.string() })).min(1) });
  const Bom = z.object({ bomFormat: z.literal("CycloneDX"), components: z.array(Component) });
  const names = Bom.parse(JSON.parse(text)).components.map((component) => component["bom-ref"]);
  expect(names.sort()).toEqual([...new Set(bundled.map(({ name, version }) => `${name}@${version}`))].sort());
});
