import { readdirSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { PassThrough } from "node:stream";
import { runTests } from "@vscode/test-electron";
import { build, type BuildOptions } from "esbuild";
import * as z from "zod";
import { ownFolders } from "../../../scripts/run-typescript.mjs";
import { cliEnvironment } from "../cli.ts";
import { temporaryFolder } from "../folder.ts";

/** One line of the runner's output (`host-runner.ts`). */
export const HostLine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("test"), file: z.string(), title: z.string(), error: z.string().optional() }),
  z.object({ type: z.literal("log"), text: z.string() }),
  z.object({ type: z.literal("end") }),
]);
/** One line of the runner's output. */
export type HostLine = z.infer<typeof HostLine>;
/** The result of one test. */
export type HostTest = Extract<HostLine, { type: "test" }>;

/** The result of a run. */
export interface HostRun {
  tests: HostTest[];
  /** Why the run is invalid: it crashed, or a file had no test. */
  failure?: string;
}

const root = path.resolve(import.meta.dirname, "../../..");

/**
 * Runs the mocha suites of a folder inside a real extension host, with the extension as it was built. The same suites
 * run in code-server, or in a desktop VS Code: VSCODE_EXECUTABLE is its program, or "download". HOST_TESTS picks files
 * by a part of their name.
 */
export async function runHostTests(
  folder: string,
  { workspace, env = {} }: { workspace: string; env?: Record<string, string> },
): Promise<HostRun> {
  const wanted = process.env["HOST_TESTS"] ?? "";
  const files = readdirSync(folder).filter((file) => file.endsWith(".test.ts") && file.includes(wanted));
  await using opened = await temporaryFolder(workspace);
  await using home = await temporaryFolder();
  // The folder is inside the project, so that unbundled packages resolve from node_modules.
  await mkdir(path.join(root, ".vscode-test"), { recursive: true });
  const built = await mkdtemp(path.join(root, ".vscode-test", "host-"));
  try {
    const standIn = await bundle(folder, files, built);
    const lines = path.join(home.path, "tests.jsonl");
    const asked = process.env["VSCODE_EXECUTABLE"];
    const output = new PassThrough();
    const text: string[] = [];
    output.setEncoding("utf8").on("data", (chunk: string) => text.push(chunk));
    const crash = await runTests({
      ...(asked !== "download" && { vscodeExecutablePath: asked ?? standIn }),
      ...(process.env["VSCODE_VERSION"] !== undefined && { version: process.env["VSCODE_VERSION"] }),
      cachePath: path.join(root, ".vscode-test"),
      extensionDevelopmentPath: root,
      extensionTestsPath: path.join(built, "host-runner.cjs"),
      launchArgs: [opened.path],
      extensionTestsEnv: {
        ...cliEnvironment(home.path, env),
        CITEWELL_TEST_FILES: JSON.stringify(files.map((file) => path.join(built, file.replace(/\.ts$/, ".cjs")))),
        CITEWELL_TEST_LINES: lines,
      },
      stdout: output,
      stderr: output,
    }).then(
      () => undefined,
      (error: unknown) => error,
    );
    return summary(files, await readLines(lines), { crash, output: text.join("") });
  } finally {
    await rm(built, { recursive: true, force: true });
  }
}

/** @returns the program that replaces VS Code's executable */
async function bundle(folder: string, files: readonly string[], outdir: string): Promise<string> {
  const common: BuildOptions = {
    bundle: true,
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    external: ["vscode", "mocha", "playwright-core"],
    sourcemap: "inline",
    logLevel: "error",
    outdir,
    plugins: [ownFolders],
  };
  await Promise.all([
    build({
      ...common,
      format: "cjs",
      outExtension: { ".js": ".cjs" },
      entryPoints: [
        { in: path.join(import.meta.dirname, "host-runner.ts"), out: "host-runner" },
        ...files.map((file) => ({ in: path.join(folder, file), out: path.basename(file, ".ts") })),
      ],
    }),
    build({
      ...common,
      format: "esm",
      outExtension: { ".js": ".mjs" },
      entryPoints: [path.join(import.meta.dirname, "executable.ts")],
    }),
  ]);
  const standIn = path.join(outdir, "executable.mjs");
  await chmod(standIn, 0o755);
  return standIn;
}

async function readLines(file: string): Promise<HostLine[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const complete = text.split("\n").slice(0, -1);
  return complete.map((line) => HostLine.parse(JSON.parse(line)));
}

function summary(files: readonly string[], lines: HostLine[], end: { crash: unknown; output: string }): HostRun {
  const tests = lines.filter((line) => line.type === "test");
  for (const line of lines) if (line.type === "log") process.stdout.write(`${line.text}\n`);
  const empty = files.filter((file) => !tests.some((test) => test.file === path.basename(file, ".ts")));
  const isWhole = lines.at(-1)?.type === "end" && end.crash === undefined;
  if (isWhole && files.length > 0 && empty.length === 0) return { tests };
  const reason = isWhole
    ? `no test ran in ${files.length === 0 ? "any file" : empty.join(", ")}`
    : `the extension host did not come to the end of its tests: ${String(end.crash)}`;
  return { tests, failure: `${reason}\n${end.output}` };
}
