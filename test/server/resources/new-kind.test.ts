import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { memoKind } from "../../support/memo-kind.ts";
import { packEntries } from "../../support/npm-registry.ts";
import { toyEcosystem } from "../../support/toy-ecosystem.ts";
import { commonJs } from "../../support/run-bundled.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);

type Edits = typeof memoKind;

/** A copy of the sources with the kinds added, and nothing else changed. */
async function copyWith(...kinds: readonly Edits[]) {
  const folder = await temporaryFolder();
  const inCopy = (file: string) => path.join(folder.path, file);
  for (const part of [
    "server",
    "client",
    "cli",
    "extension",
    "package.json",
    "tsconfig.json",
    "test/support/ask-memo.ts",
    "test/support/ask-toy.ts",
  ]) {
    await cp(path.join(root, part), inCopy(part), { recursive: true });
  }
  await symlink(path.join(root, "node_modules"), inCopy("node_modules"));
  for (const [file, edit] of kinds.flatMap((kind) => Object.entries(kind))) {
    await mkdir(path.dirname(inCopy(file)), { recursive: true });
    if (typeof edit === "string") await writeFile(inCopy(file), edit);
    else await writeFile(inCopy(file), edit.reduce(replaceOnce, await readFile(inCopy(file), "utf8")));
  }
  return { path: inCopy, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

function replaceOnce(text: string, [before, after]: readonly [string, string]): string {
  expect(text.split(before)).toHaveLength(2);
  return text.replace(before, after);
}

/** Bundles a script of the copy and runs it. */
async function runIn(
  copy: { path: (file: string) => string },
  script: string,
  args: readonly string[],
): Promise<unknown> {
  const outfile = copy.path(`${script}.mjs`);
  await build({
    entryPoints: [copy.path(`test/support/${script}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    mainFields: ["module", "main"],
    banner: { js: commonJs },
    logLevel: "error",
  });
  const { stdout } = await run(process.execPath, [outfile, ...args]);
  return JSON.parse(stdout);
}

test.each([
  ["a kind", "adding-a-resource.md", "<kind>", "memo", memoKind, 5],
  ["an ecosystem", "adding-an-ecosystem.md", "<type>", "toy", toyEcosystem, 4],
] as const)("%s is added in the files that the guide %s lists", async (_, page, placeholder, name, edits, count) => {
  const guide = await readFile(path.join(root, "docs/development", page), "utf8");
  const listed = [...guide.matchAll(/^\d\. `([^`]+)`/gm)].map(([, file = ""]) => file.replaceAll(placeholder, name));
  const isListed = (file: string) => listed.some((path) => file === path || file.startsWith(path.replace("…", "")));
  expect(Object.keys(edits).filter((file) => !isListed(file))).toEqual([]);
  expect(listed).toHaveLength(count);
  expect(Object.keys(edits)).toHaveLength(count);
});

test(
  "with them it compiles; both are listed, searched and asked, by reference and by name",
  { timeout: 300_000 },
  async () => {
    await using copy = await copyWith(memoKind, toyEcosystem);
    await compile(copy.path(""));

    await using memos = await temporaryFolder(`//- citewell.config.jsonc
{ "resources": [{ "type": "memo", "name": "note", "memo": "otters hold hands" }] }
`);
    expect(await runIn(copy, "ask-memo", [memos.path])).toMatchObject({
      reference: { type: "memo", canonical: "memo:otters-sleep-afloat", memo: "otters sleep afloat" },
      listings: [{ type: "memo", memo: "otters hold hands", url: null, package: null, state: "ready" }],
      oneOff: ["memo:otters-sleep-afloat memo.md: otters sleep afloat"],
      configured: ["note memo.md: otters hold hands"],
      answer: expect.stringContaining("otters sleep afloat"),
      snapshots: [{ resource: "memo:otters-sleep-afloat", type: "memo" }],
    });

    await using registry = await startToyRegistry();
    await using toys = await temporaryFolder(`//- citewell.config.jsonc
{ "resources": [{ "type": "toy", "name": "bath", "package": "duck" }] }
//- toys.json
{ "toys": ["duck", "goose"] }
//- toys/duck/VERSION
1
//- toys/duck/sound.txt
quack, says the duck
`);
    expect(await runIn(copy, "ask-toy", [toys.path, registry.url])).toMatchObject({
      reference: { type: "toy", canonical: "toy:duck@2", package: "duck", version: "2" },
      dependencies: [
        { name: "duck", version: "1", isAdded: true },
        { name: "goose", version: null, wanted: "latest", isAdded: false },
      ],
      listings: [{ name: "bath", type: "toy", state: "ready" }],
      installed: ["toy:duck sound.txt: quack, says the duck"],
      fetched: ["toy:goose sound.txt: quack, says the goose"],
      configured: ["bath sound.txt: quack, says the duck"],
      refused: [expect.stringContaining("does not match its checksum")],
    });
  },
);

/** @throws Error (the compiler's own) */
async function compile(folder: string): Promise<void> {
  const compiler = path.join(root, "node_modules/typescript/bin/tsc");
  try {
    // Its threads check what they share several times, in twice the processor time.
    const options = ["--noEmit", "--incremental", "false", "--singleThreaded"];
    await run(process.execPath, [compiler, ...options, "-p", folder]);
  } catch (error) {
    throw new Error(String(Object(error).stdout), { cause: error });
  }
}

/** Has a goose, and a fake whose checksum is that of the goose. */
async function startToyRegistry() {
  const goose = packEntries([{ path: "goose/sound.txt", content: "quack, says the goose\n" }]);
  const fake = packEntries([{ path: "goose/sound.txt", content: "quack, says nobody\n" }]);
  const published = JSON.stringify({ version: "3", sha256: createHash("sha256").update(goose).digest("hex") });
  const answers: Readonly<Record<string, string | Uint8Array>> = {
    "/goose.json": published,
    "/goose.tgz": goose,
    "/fake.json": published,
    "/fake.tgz": fake,
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ""];
    response.writeHead(answer === undefined ? 404 : 200).end(answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
