import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { exitCodes } from "../cli/output/exit-codes.ts";
import { watchCost } from "./process-cost.ts";
import { cliEnvironment } from "../test/support/cli.ts";

// Search with adversarial folders and patterns at full size: time and memory of the built command line, one process per
// run. Takes 15 minutes and 8 GB of disk (a million files). Linux only, for peak memory.

const megabyte = 1024 * 1024;

interface Case {
  name: string;
  tree: string;
  args: readonly string[];
  /** CPU time, which other load hardly affects. */
  seconds: number;
  megabytes: number;
  /** Matches the output, including notes. */
  expected: RegExp;
}

/** Inputs that slow down the expressions for definitions and headings, repeated up to the line limit. */
const slowLines = [" ", "#", "[ ", "a ", "a.", "<a ", "(", "x", "const a", "aB$", "- ", "`", "漢", "e\u0301"];

const patterns = [
  "(x+x+)+y",
  "(a|a)*$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  ".*.*.*x",
  "(.*)\\1\\1b",
  "(a+)\\1+b",
  "^$",
  "\\n",
  "(?<=(a+)+)b",
  "\\p{Script=Han}\\p{Lu}",
  Array.from({ length: 180 }, (_, number) => `w${number}`).join("|"),
];

const cases: readonly Case[] = [
  {
    name: "100,000 files in a folder, ranked, no index",
    tree: "flat",
    args: ["value 99999"],
    seconds: 30,
    megabytes: 1000,
    expected: /f099999|still being indexed/,
  },
  {
    name: "… with its index",
    tree: "flat",
    args: ["value 99999"],
    seconds: 30,
    megabytes: 800,
    expected: /f099999|still being indexed/,
  },
  {
    name: "… exact",
    tree: "flat",
    args: ["--exact", "value99999 ="],
    seconds: 30,
    megabytes: 600,
    expected: /f099999|stopped after/,
  },
  {
    name: "folders 2,000 deep",
    tree: "deep",
    args: ["--exact", "needle"],
    seconds: 30,
    megabytes: 300,
    expected: /1 file was not searched/,
  },
  {
    name: "one line of 50 MB",
    tree: "long",
    args: ["--exact", "needle"],
    seconds: 20,
    megabytes: 300,
    expected: /not searched: .* over the limit/,
  },
  {
    name: "one line of just under 8 MB, exact",
    tree: "line",
    args: ["--exact", "needle"],
    seconds: 20,
    megabytes: 300,
    expected: /needle/,
  },
  { name: "… ranked", tree: "line", args: ["needle"], seconds: 30, megabytes: 500, expected: /not searched/ },
  {
    name: "lines made to be slow, in ten languages",
    tree: "slow",
    args: ["needle"],
    seconds: 60,
    megabytes: 700,
    expected: /needle/,
  },
  {
    name: "minified code of 7 MB",
    tree: "minified",
    args: ["needle"],
    seconds: 30,
    megabytes: 500,
    expected: /not searched/,
  },
  {
    name: "10,000 links in circles",
    tree: "links",
    args: ["--exact", "needle"],
    seconds: 20,
    megabytes: 300,
    expected: /10000 files were not searched/,
  },
  {
    name: "a question of 10,000 characters",
    tree: "slow",
    args: ["parseHTTPHeader() ".repeat(555)],
    seconds: 20,
    megabytes: 700,
    expected: /nothing/,
  },
  ...patterns.map((pattern): Case => {
    const name = `pattern ${pattern.length > 30 ? `of ${pattern.length} characters` : pattern}`;
    return {
      name,
      tree: "slow",
      args: ["--regex", pattern, "--limit", "1"],
      seconds: 30,
      megabytes: 700,
      expected: /^nothing was found|matching lines|:1\b/m,
    };
  }),
  {
    name: "a million files, ranked, no index",
    tree: "million",
    args: ["value 777"],
    seconds: 90,
    megabytes: 1200,
    expected: /not searched/,
  },
  {
    name: "… exact",
    tree: "million",
    args: ["--exact", "value0_777 ="],
    seconds: 90,
    megabytes: 1200,
    expected: /d0000\/f0777|stopped after/,
  },
];

const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-hostile-"));
let faults = 0;
try {
  for (const tree of new Set(cases.map((one) => one.tree))) {
    makeTree(tree, path.join(folder, tree));
    for (const one of cases.filter((one) => one.tree === tree)) await run(one);
    remove(path.join(folder, tree));
  }
} finally {
  remove(folder);
}
if (faults > 0) process.exitCode = 1;

async function run({ name, tree, args, seconds, megabytes, expected }: Case): Promise<void> {
  const startedAt = performance.now();
  const output = path.join(folder, "output");
  const descriptor = openSync(output, "w");
  const citewell = spawn(process.execPath, [path.resolve("dist/citewell.mjs"), "search", "-r", `./${tree}`, ...args], {
    cwd: folder,
    env: cliEnvironment(folder),
    stdio: ["ignore", descriptor, descriptor],
  });
  using watch = watchCost(citewell.pid ?? 0);
  const [code] = await once(citewell, "exit");
  const cost = watch.cost();
  closeSync(descriptor);
  const took = (performance.now() - startedAt) / 1000;
  const printed = readFileSync(output, "utf8");
  const wrong = [
    cost.seconds > seconds ? `more than ${seconds} s` : [],
    cost.megabytes > megabytes ? `more than ${megabytes} MB` : [],
    code === exitCodes.ok || code === exitCodes.notFound ? [] : `ended with ${code}`,
    expected.test(printed) ? [] : `output does not match ${expected}: ${printed.slice(-300)}`,
  ].flat();
  faults += wrong.length;
  const verdict = wrong.length === 0 ? "" : `  FAULT: ${wrong.join("; ")}`;
  const figures = [`${cost.seconds.toFixed(1)} s of processors`, `${took.toFixed(1)} s`, `${cost.megabytes} MB`];
  console.log(`hostile: ${name.padEnd(46)} ${figures.join(", ")}${verdict}`);
}

/** Creates folders deeper than the maximum path length, which Node cannot address. */
function remove(tree: string): void {
  execFileSync("rm", ["-rf", tree]);
}

function makeTree(tree: string, root: string): void {
  mkdirSync(root);
  const write = (name: string, text: string) => writeFileSync(path.join(root, name), text);
  switch (tree) {
    case "flat":
      for (let number = 0; number < 100_000; number++)
        write(`f${pad(number, 6)}.ts`, `export const value${number} = ${number};\n`);
      break;
    case "million":
      for (let outer = 0; outer < 1000; outer++) {
        mkdirSync(path.join(root, `d${pad(outer, 4)}`));
        for (let inner = 0; inner < 1000; inner++)
          write(`d${pad(outer, 4)}/f${pad(inner, 4)}.ts`, `export const value${outer}_${inner} = 1;\n`);
      }
      break;
    case "deep":
      write("a.ts", "// needle\n");
      execFileSync(
        process.execPath,
        ["-e", 'for (let i = 0; i < 2000; i++) { fs.mkdirSync("dd"); process.chdir("dd"); }'],
        { cwd: root },
      );
      break;
    case "long":
      write("a.js", `needle ${"x=1;".repeat((50 * megabyte) / 4)}`);
      break;
    case "line":
      write("a.js", `needle ${"var a=1;".repeat(megabyte - 2)}\n`);
      break;
    case "minified":
      write(
        "a.js",
        Array.from({ length: 200_000 }, (_, number) => `function f${number}(a,b){return a+needle}`).join(";"),
      );
      break;
    case "links":
      write("a.ts", "// needle\n");
      for (let number = 0; number < 10_000; number++)
        symlinkSync(`l${(number + 1) % 10_000}`, path.join(root, `l${number}`));
      break;
    case "slow":
      for (const ending of ["ts", "py", "go", "rs", "c", "java", "toml", "md", "rst", "sh"])
        for (const [number, line] of slowLines.entries())
          write(`${number}.${ending}`, `needle\n${line.repeat(Math.ceil(390 / line.length))}x\n`.repeat(2400));
      break;
  }
}

function pad(number: number, length: number): string {
  return String(number).padStart(length, "0");
}
