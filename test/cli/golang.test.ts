import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { checksumOf, downloaded, startGoProxy } from "../support/go-proxy.ts";

const kit = {
  module: "example.org/owner/kit/v2",
  version: "v2.0.1",
  files: {
    "go.mod": "module example.org/owner/kit/v2\n",
    "retry.go": "package kit\n\nfunc RetryAfter() int { return 1 }\n",
  },
};
const log = { module: "example.org/log", version: "v0.1.0" };
const project = `//- go.mod
module example.org/mine

go 1.22

require (
	example.org/log v0.1.0
	example.org/owner/kit/v2 v2.0.1
)

require example.org/only/others v1.0.0 // indirect
//- go.sum
example.org/owner/kit/v2 v2.0.1 ${checksumOf(kit)}
//- citewell.config.jsonc
{ "resources": [] }
${downloaded(log, "cache")}`;

test("the version of go.mod is fetched once, cited, and answers without the proxy", async () => {
  await using folder = await temporaryFolder(project);
  await using proxy = await startGoProxy();
  proxy.publish({ ...kit, checksum: null });
  proxy.publish({ ...kit, version: "v2.1.0" });
  const env = { GOPROXY: proxy.url, GOMODCACHE: path.join(folder.path, "cache") };
  const at = { cwd: folder.path, env };
  const search = (options = at) =>
    runCli(["search", "retry after", "-r", "go:example.org/owner/kit/v2", "--json"], options);
  expect(JSON.parse((await search()).stdout)).toMatchObject({
    results: [
      {
        resource: "go:example.org/owner/kit/v2",
        revision: expect.stringMatching(/^v2\.0\.1\+/),
        path: "retry.go",
      },
    ],
  });
  await proxy.stop();
  expect((await search()).stdout).toContain("retry.go");
  const off = { ...at, env: { ...env, GOPROXY: "off" } };
  expect((await search(off)).stdout).toContain("retry.go");
  const verified = await runCli(["verify", "-", "-r", "go:example.org/owner/kit/v2", "--json"], {
    ...at,
    stdin: "`go:example.org/owner/kit/v2:retry.go:3` has it.",
  });
  expect(JSON.parse(verified.stdout)).toMatchObject({ citations: [{ state: "verified" }] });
});

test("the modules that go.mod requires directly are added, each by a short name", async () => {
  await using folder = await temporaryFolder(project);
  const env = { GOPROXY: "off", GOMODCACHE: path.join(folder.path, "cache") };
  const { stdout } = await runHere(["deps", "--all"], { cwd: folder.path, env });
  expect(stdout).toMatch(/^added log v0\.1\.0\nadded kit v2\.0\.1\n/);
  const { resources } = JSON.parse(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8"));
  expect(resources).toEqual([
    { type: "golang", name: "log", package: "example.org/log" },
    { type: "golang", name: "kit", package: "example.org/owner/kit/v2" },
  ]);
});

test.each([
  ["go get github.com/spf13/cobra@v1.8.1", { name: "cobra", package: "github.com/spf13/cobra", version: "v1.8.1" }],
  ["go install example.org/tool/cmd/...@latest", { name: "cmd", package: "example.org/tool/cmd", version: "latest" }],
  ["https://pkg.go.dev/gopkg.in/yaml.v3", { name: "yaml", package: "gopkg.in/yaml.v3" }],
  [
    "https://pkg.go.dev/github.com/go-chi/chi/v5@v5.1.0/middleware",
    { name: "chi", package: "github.com/go-chi/chi/v5", version: "v5.1.0" },
  ],
  [
    "pkg:golang/github.com/json-iterator/go@v1.1.12",
    { name: "json-iterator-go", package: "github.com/json-iterator/go", version: "v1.1.12" },
  ],
])("add takes what people have at hand: %s", async (text, expected) => {
  await using folder = await temporaryFolder('//- citewell.config.jsonc\n{ "resources": [] }\n');
  await runHere(["add", text], { cwd: folder.path, env: { GOPROXY: "off" } });
  const { resources } = JSON.parse(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8"));
  expect(resources).toEqual([{ type: "golang", ...expected }]);
});
