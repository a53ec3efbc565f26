import { defineConfig } from "vitest/config";

/** What needs a VS Code, a browser or the packaged extension; scripts/test.mjs installs these for the same files. */
const ofEditor = [
  "test/extension/{ui,webview}/**/*.test.ts",
  "test/extension/{agent-host,host,package}.test.ts",
  "test/server/hosted/web/pages/*browser.test.ts",
];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A busy machine may need longer than the usual second.
    expect: { poll: { timeout: 20_000 } },
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
          testTimeout: 60_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
