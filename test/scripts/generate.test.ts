import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");

test("schema/ and the generated pages of docs/ are what the code says; `npm run generate` brings them up to date", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/generate.mjs", "--check"], {
    cwd: root,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "generated files are up to date\n" });
});
