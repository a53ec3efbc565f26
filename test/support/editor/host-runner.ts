import { appendFileSync } from "node:fs";
import path from "node:path";
import { format } from "node:util";
import Mocha from "mocha";
import type { HostLine } from "./host-tests.ts";

const { CITEWELL_TEST_LINES: target = "", CITEWELL_TEST_FILES: files = "[]" } = process.env;

/** VS Code's entry point in the extension host. Writes results to a file line by line, so that a crash loses none. */
export async function run(): Promise<void> {
  for (const method of ["log", "info", "warn", "error", "debug"]) {
    // The extension host's console ignores assignments.
    Object.defineProperty(console, method, {
      value: (...args: unknown[]) => write({ type: "log", text: format(...args) }),
      configurable: true,
    });
  }
  // As in vitest.config.ts, whose second try of these tests would only look at the same results.
  const mocha = new Mocha({ ui: "tdd", timeout: 120_000, retries: 1, reporter: Mocha.reporters.Base });
  const paths: string[] = JSON.parse(files);
  for (const file of paths) mocha.addFile(file);
  await new Promise<void>((resolve) => {
    mocha
      .run(() => resolve())
      .on("retry", (test, error) =>
        write({ type: "log", text: `a second try: ${test.titlePath().join(": ")}: ${error.stack ?? String(error)}` }),
      )
      .on("pass", (test) => write(result(test)))
      .on("pending", (test) => write({ ...result(test), error: "it was skipped" }))
      .on("fail", (test, error: Error) => write({ ...result(test), error: error.stack ?? String(error) }));
  });
  write({ type: "end" });
}

function result(test: Mocha.Runnable): Extract<HostLine, { type: "test" }> {
  return { type: "test", file: path.basename(test.file ?? "", ".cjs"), title: test.titlePath().join(": ") };
}

function write(line: HostLine): void {
  appendFileSync(target, `${JSON.stringify(line)}\n`);
}
