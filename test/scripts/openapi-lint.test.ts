import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");

test("schema/openapi.json is a sound OpenAPI description: the linter's strict rules find nothing", () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      "node_modules/@redocly/cli/bin/cli.js",
      "lint",
      "schema/openapi.json",
      "--extends=recommended-strict",
      "--format=json",
    ],
    // Nothing goes over the network: no report of its use, no look for a newer version.
    { cwd: root, encoding: "utf8", env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } },
  );
  expect(JSON.parse(stdout)).toMatchObject({ problems: [], totals: { errors: 0, warnings: 0, ignored: 0 } });
  expect(status).toBe(0);
});
