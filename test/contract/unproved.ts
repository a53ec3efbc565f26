import type { ContractRow } from "./rows.ts";

/** A test that ran: its file below test/, the titles of its suites and its own, and whether it passed. */
export interface TestRun {
  file: string;
  titles: readonly string[];
  passed: boolean;
}

/**
 * The rows that the run does not prove, each with the reason. A row is proved when tests of its title ran in its file and
 * all of them passed. A row whose file was not part of the run is not judged.
 */
export function unprovedRows(rows: readonly ContractRow[], runs: readonly TestRun[]): string[] {
  return rows.flatMap(([row, file, title]) => {
    const ofFile = runs.filter((run) => run.file === file);
    if (ofFile.length === 0) return [];
    const pattern = patternOf(title);
    const proofs = ofFile.filter(({ titles }) => titles.some((candidate) => pattern.test(candidate)));
    if (proofs.length === 0) return [`${row}: no test of ${file} is titled "${title}"`];
    return proofs.every(({ passed }) => passed) ? [] : [`${row}: "${title}" of ${file} did not pass`];
  });
}

/** The placeholders of `test.each` match any value, and a value alone may be quoted (https://vitest.dev/api/#test-each). */
function patternOf(title: string): RegExp {
  const parts = title.split(/%[sdifjoOc#$]|\$[\w.]+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^('?)${parts.join(".*")}\\1$`, "s");
}
