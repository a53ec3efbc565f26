import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { ownCommand } from "../../../cli/agent-settings/command.ts";
import type { Terminal } from "../../../cli/terminal.ts";
import { temporaryFolder } from "../../support/folder.ts";

interface Case {
  /** The Node that runs, below the home directory. */
  runtime: string;
  /** Other programs: links to another file, or shims. */
  others?: Record<string, string>;
  /** The path below the home directory. */
  onPath?: string[];
  expected: string;
  warning?: string;
}

/** What is written as the command, on a computer whose home has these programs. */
async function check({ runtime, others = {}, onPath = [], expected, warning }: Case): Promise<void> {
  await using home = await temporaryFolder("//- citewell.mjs\n");
  const at = (file: string) => path.join(home.path, file);
  const program = async (file: string) => {
    await mkdir(path.dirname(at(file)), { recursive: true });
    await writeFile(at(file), "#!/bin/sh\n");
    await chmod(at(file), 0o755);
  };
  await program(runtime);
  for (const [file, target] of Object.entries(others)) {
    if (target === "shim") await program(file);
    else {
      await mkdir(path.dirname(at(file)), { recursive: true });
      await symlink(at(target), at(file));
    }
  }
  const terminal: Pick<Terminal, "cwd" | "env" | "homeDirectory" | "platform" | "program"> = {
    cwd: home.path,
    env: { PATH: onPath.map(at).join(path.delimiter) },
    homeDirectory: home.path,
    platform: process.platform,
    program: { runtime: at(runtime), file: at("citewell.mjs") },
  };
  const { command, warnings } = ownCommand(terminal);
  expect(path.relative(home.path, command.command)).toBe(expected);
  expect(command.args).toEqual([at("citewell.mjs"), "mcp"]);
  expect(warnings.join()).toContain(warning ?? "");
  if (warning === undefined) expect(warnings).toEqual([]);
}

test("the Node of the system is named as it is", () =>
  check({ runtime: "usr/bin/node", onPath: ["usr/bin"], expected: "usr/bin/node" }));

test("the link of Homebrew is named in place of the version that it leads to", () =>
  check({
    runtime: "Cellar/node/24.1.0/bin/node",
    others: { "homebrew/bin/node": "Cellar/node/24.1.0/bin/node" },
    onPath: ["homebrew/bin"],
    expected: "homebrew/bin/node",
  }));

test("another Node on PATH is not named", () =>
  check({
    runtime: ".nvm/versions/node/v24.1.0/bin/node",
    others: { "usr/bin/node": "shim" },
    onPath: [".nvm/versions/node/v24.1.0/bin", "usr/bin"],
    expected: ".nvm/versions/node/v24.1.0/bin/node",
    warning: "belongs to one version of Node",
  }));

test.each([".volta/bin", ".asdf/shims", ".local/share/mise/shims"])("the shim in %s is named", (folder) =>
  check({
    runtime: "versions/node/24.1.0/bin/node",
    others: { [`${folder}/node`]: "shim" },
    onPath: ["versions/node/24.1.0/bin", folder],
    expected: `${folder}/node`,
  }),
);

test("the alias of fnm is named, and not the link that it makes for one shell", () =>
  check({
    runtime: ".local/share/fnm/node-versions/v24.1.0/installation/bin/node",
    others: {
      ".local/state/fnm_multishells/1_2/bin/node": ".local/share/fnm/node-versions/v24.1.0/installation/bin/node",
      ".local/share/fnm/aliases/default/bin/node": ".local/share/fnm/node-versions/v24.1.0/installation/bin/node",
    },
    onPath: [".local/state/fnm_multishells/1_2/bin"],
    expected: ".local/share/fnm/aliases/default/bin/node",
  }));
