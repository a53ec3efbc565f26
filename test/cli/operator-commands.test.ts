import { expect, test } from "vitest";
import { actionsOf, operatorCommands } from "../../cli/definitions/operator-commands.ts";
import { jsonDocuments } from "../../cli/output/json-documents.ts";
import { adminNames } from "../../server/protocol/hosted.ts";
import { runCli } from "../support/cli.ts";

test("each method of the operator has one command, whose output is documented", () => {
  expect(Object.values(operatorCommands).toSorted()).toEqual(adminNames.toSorted());
  for (const command of Object.keys(operatorCommands)) expect(jsonDocuments).toHaveProperty([`hosted ${command}`]);
});

test.each(["key", "project", "token", "follow", "webhook", "secrets"])(
  "the help of %s has its actions",
  async (subject) => {
    const { stdout } = await runCli(["hosted", subject, "--help"], { cwd: import.meta.dirname });
    const [, choices = ""] = /\(choices: ([^)]+)\)/.exec(stdout.replaceAll(/\s+/g, " ")) ?? [];
    expect(choices.match(/[\w-]+/g)).toEqual(actionsOf(subject));
  },
);

test("the help of project has an option for each limit", async () => {
  const { stdout } = await runCli(["hosted", "project", "--help"], { cwd: import.meta.dirname });
  for (const option of ["--running", "--questions", "--tokens", "--cost", "--resources", "--fetches", "--disk"])
    expect(stdout).toContain(option);
});

test("an account on a host of unknown kind is not followed without one", async () => {
  const { code, stderr } = await runCli(["hosted", "follow", "add", "git.example/acme"], { cwd: import.meta.dirname });
  expect([code, stderr]).toEqual([2, expect.stringContaining("the kind of git.example is not known by its name")]);
  expect(stderr).toContain("--kind: github, gitlab, gitea, bitbucket");
});
