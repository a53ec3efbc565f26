import { expect, test } from "vitest";
import { importOptional } from "../../../../server/hosted/store/optional-package.ts";

test("a package that is not installed is named, with the command that installs it", async () => {
  const missing = Object.assign(new Error("Cannot find package 'pg'"), { code: "ERR_MODULE_NOT_FOUND" });
  await expect(importOptional("pg@8.23.1", () => Promise.reject(missing))).rejects.toMatchObject({
    tag: "ToolMissing",
    message: 'the package "pg@8.23.1" is not installed',
    hint: "run: npm install --global pg@8.23.1",
  });
});

test("a package that fails to load says why", async () => {
  const broken = importOptional("pg@8.23.1", () => Promise.reject(new Error("bad file")));
  await expect(broken).rejects.toThrow('the package "pg@8.23.1" cannot be loaded: bad file');
});
