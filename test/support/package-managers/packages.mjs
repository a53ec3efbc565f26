import path from "node:path";

/** Ignored by git. */
export const managersFolder = path.resolve(import.meta.dirname, "../../..", ".test-package-managers");

/** npm comes with Node. */
export const testedManagers = {
  pnpm: "pnpm@10.34.9",
  yarn: "yarn@1.22.22",
  berry: "@yarnpkg/cli-dist@4.18.1",
  bun: "bun@1.4.5",
};
