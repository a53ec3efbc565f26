import { defineConfig } from "vitest/config";

/** What needs a VS Code, a browser or the packaged extension; scripts/test.mjs installs these for the same files. */
const ofEditor = [
  "test/extension/{ui,webview}/**/*.test.ts",
  "test/extension/{agent-host,host,package}.test.ts",
  "test/server/hosted/web/pages/*browser.test.ts",
];

export default defineConfig({
  test: {
    // Far more than a test needs: on a machine with more to do than its cores, a process starts in seconds, not in 0.2.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // One accident among 8,000 tests must not cost a whole run. The summary lists it: it is a fault to mend.
    retry: 1,
    reporters: ["default", "./test/support/summary-reporter.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "program",
          include: ["test/**/*.test.ts"],
          exclude: [...ofEditor, "test/extension/{agent-host,host}/**"],
          // Vitest leaves one core free; our tests mostly wait for child processes.
          maxWorkers: "100%",
        },
      },
      {
        extends: true,
        test: {
          name: "editor",
          include: ofEditor,
          globalSetup: "test/support/editor/packaged-extension.ts",
          // A VS Code, its browser and our server want both cores of a small machine: one after the other, after the rest.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
