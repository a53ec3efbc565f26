import path from "node:path";
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";
import * as contract from "../contract/rows.ts";
import { type TestRun, unprovedRows } from "../contract/unproved.ts";

/** Tests of a run that may pass only at the second try. */
const toleratedRetries = 5;

const tests = path.resolve(import.meta.dirname, "..");

/**
 * Prints the summary line for CI: `N passed, N failed`. A file that failed to load counts as a failure, and so does an
 * unproved row of the contract. Tests that passed only at the second try are listed with the error of the first; more
 * than a few of them are a failure.
 */
export default class SummaryReporter implements Reporter {
  private isFiltered = false;

  onInit(vitest: Vitest) {
    this.isFiltered = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]) {
    const cases = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = cases.filter(hasPassed).length;
    const broken = modules.flatMap((module) => module.errors()).length;
    const unproved = this.isFiltered ? [] : unprovedRows(Object.values(contract).flat(), cases.map(toRun));
    const flaky = cases.filter((test) => test.diagnostic()?.flaky === true);
    const isUnsteady = flaky.length > toleratedRetries;
    const faults = broken + unproved.length + Number(isUnsteady);
    const failed = this.isFiltered ? cases.filter(hasFailed).length : cases.length - passed;
    if (unproved.length > 0 || isUnsteady) process.exitCode = 1;
    process.on("exit", () => {
      for (const test of flaky) process.stdout.write(`passed at the second try: ${describeRetried(test)}\n`);
      if (isUnsteady) process.stdout.write(`more than ${toleratedRetries} tests passed only at the second try\n`);
      for (const row of unproved) process.stdout.write(`contract: ${row}\n`);
      process.stdout.write(`${passed} passed, ${failed + faults} failed\n`);
    });
  }
}

function hasPassed(test: TestCase): boolean {
  return test.result().state === "passed";
}

function hasFailed(test: TestCase): boolean {
  return test.result().state === "failed";
}

function describeRetried(test: TestCase): string {
  const { file, titles } = toRun(test);
  return [file, ...titles, ...(test.result().errors ?? []).map(({ message }) => message)].join(" > ");
}

function toRun(test: TestCase): TestRun {
  const titles = [test.name];
  for (let suite = test.parent; suite.type === "suite"; suite = suite.parent) titles.unshift(suite.name);
  const file = path.relative(tests, test.module.moduleId).split(path.sep).join("/");
  return { file, titles, passed: hasPassed(test) };
}
