import os from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { moduleFolder, writeToMemory } from "./test/support/memory-folder.ts";
import { type Project, testFiles } from "./test/support/projects.mjs";
import { Sequencer } from "./test/support/sequencer.ts";

writeToMemory();

const files = testFiles();

function projectOf(name: Project, options: TestProjectInlineConfiguration["test"]): TestProjectInlineConfiguration {
  const include = files.filter(({ project }) => project === name).map(({ file }) => file);
  return { extends: true, test: { name, include, ...options } };
}

// Two more than there are cores: our tests mostly wait for child processes.
const together = { maxWorkers: os.availableParallelism() + 2 };

export default defineConfig({
  test: {
    // A worker loads the product once, not for each file: loading took as much time as half of the tests. Our modules have no
    // state of their own, and a test undoes what it changes in the process.
    isolate: false,
    // The key of a module contains its text.
    experimental: { fsModuleCache: true, fsModuleCachePath: moduleFolder() },
    sequence: { sequencer: Sequencer },
    // Far more than a test needs: on a machine with more to do than its cores, a process starts in seconds, not in 0.2.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // One accident among 8,000 tests must not cost a whole run. The summary lists it: it is a fault to mend.
    retry: 1,
    reporters: ["default", "./test/support/summary-reporter.ts"],
    projects: [
      projectOf("browser", together),
      projectOf("hosted", together),
      projectOf("cli", together),
      projectOf("core", together),
      projectOf("editor", {
        globalSetup: "test/support/editor/packaged-extension.ts",
        setupFiles: "test/support/editor/second-try.ts",
        // After the rest, as a VS Code, its browser and our server want both cores of a small machine; three at a time, because
        // a window often waits for what it shows.
        maxWorkers: 3,
        isolate: true,
        sequence: { groupOrder: 1 },
        // A test ends at an action that takes too long, not in the midst of one: what a time limit cuts off goes on beside
        // the second try.
        testTimeout: 300_000,
        hookTimeout: 300_000,
      }),
    ],
  },
});
