import type { Reporter, TestModule } from "vitest/node";

/** Ends a run with the one line that CI reads: `N passed, N failed`. A file that could not be run counts as a failure. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    let passed = 0;
    let failed = 0;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        if (test.result().state === "passed") passed += 1;
        else failed += 1;
      }
    }
    process.on("exit", () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
