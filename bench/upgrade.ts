import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { UpgradeReport } from "../server/protocol/upgrade.ts";
import { parseFixture } from "../test/support/fixture.ts";
import { compareShares, readBaseline, writeBaseline } from "./baseline.ts";

/**
 * Reports of real major upgrades: whether they have what the package's own guide says is changed and the small project
 * uses, and how many findings are something else. Reads the real registries. The rules were made on the projects for
 * tuning; of the others, what was missed was not read.
 */
const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    verbose: { type: "boolean" },
    update: { type: "boolean" },
  },
});
const baselineFile = path.resolve("bench/upgrade-baseline.json");
const program = path.resolve("dist/citewell.mjs");

/** The end of each name that a guide says is removed, deprecated or otherwise changed. */
const Expected = z.strictObject({
  half: z.enum(["tuning", "deciding"]),
  package: z.string(),
  to: z.string(),
  guide: z.url(),
  touched: z.array(z.string()),
});
const Shares = z.object({ found: z.number(), right: z.number() });
const Scores = z.object({ tuning: Shares, deciding: Shares });

interface Outcome {
  half: "tuning" | "deciding";
  touched: number;
  found: number;
  findings: number;
  right: number;
}

const outcomes: Outcome[] = [];
for (const file of readdirSync("bench/upgrade").toSorted()) {
  const name = path.parse(file).name;
  if (values.only.length > 0 && !values.only.includes(name)) continue;
  const outcome = measure(name, parseFixture(readFileSync(path.join("bench/upgrade", file), "utf8")));
  outcomes.push(outcome);
  const { half, touched, found, findings, right } = outcome;
  console.log(
    `${half} ${name}: ${found} of ${touched} documented changes, ${findings - right} of ${findings} findings are others`,
  );
}
const scores = { tuning: sharesOf("tuning"), deciding: sharesOf("deciding") };
for (const half of ["tuning", "deciding"] as const) {
  const { found, right } = scores[half];
  console.log(`${half}: ${percent(found)} % found, ${percent(1 - right)} % of the findings are others`);
}
if (values.update === true) writeBaseline(baselineFile, scores);
else if (values.only.length === 0) {
  const before = Scores.parse(readBaseline(baselineFile));
  compareShares(
    "upgrade",
    (["tuning", "deciding"] as const).flatMap((half) =>
      (["found", "right"] as const).map((share) => ({
        name: `${half} ${share}`,
        before: before[half][share],
        now: scores[half][share],
      })),
    ),
  );
}

function measure(name: string, files: ReadonlyMap<string, string>): Outcome {
  const { half, package: dependency, to, touched } = Expected.parse(JSON.parse(files.get("expected.json") ?? ""));
  const folder = mkdtempSync(path.join(os.tmpdir(), `citewell-upgrade-${name}-`));
  try {
    for (const [file, text] of files) {
      if (file === "expected.json") continue;
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    const env = { ...process.env, CITEWELL_HOME: path.resolve("node_modules/.cache/bench/upgrade") };
    const args = [program, "upgrade", dependency, "--to", to, "--limit", "500", "--json"];
    const output = execFileSync(process.execPath, args, {
      cwd: folder,
      env,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    const { findings } = UpgradeReport.parse(JSON.parse(output));
    const names = findings.map((finding) => [finding.name, finding.name.split(".").at(-1) ?? ""]);
    const missed = touched.filter((one) => !names.some((forms) => forms.includes(one)));
    const others = names.filter((forms) => !forms.some((form) => touched.includes(form)));
    if (values.verbose === true && half === "tuning") {
      console.log(`  missed: ${missed.join(", ")}\n  others: ${others.map(([whole]) => whole).join(", ")}`);
    }
    return {
      half,
      touched: touched.length,
      found: touched.length - missed.length,
      findings: findings.length,
      right: findings.length - others.length,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sharesOf(half: Outcome["half"]): { found: number; right: number } {
  const own = outcomes.filter((one) => one.half === half);
  const sum = (of: (outcome: Outcome) => number) => own.reduce((total, one) => total + of(one), 0);
  return {
    found:
      sum(({ found }) => found) /
      Math.max(
        1,
        sum(({ touched }) => touched),
      ),
    right:
      sum(({ right }) => right) /
      Math.max(
        1,
        sum(({ findings }) => findings),
      ),
  };
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}
