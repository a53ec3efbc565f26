import path from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../server/lib/log.ts";
import { createLocalApp } from "../../../server/local-app.ts";
import { cliEnvironment } from "../../support/cli.ts";
import { temporaryFolder } from "../../support/folder.ts";

const project = `//- app/mix.exs
  defp deps do
    [{:phoenix, "~> 1.7"}]
  end
//- app/lib/app.ex
defmodule App do
  use Phoenix.Router
end
`;

/** What the answer says of resources that were not read. */
async function notRead(question: string, { files = "", resources = [] as string[] } = {}): Promise<unknown> {
  await using folder = await temporaryFolder(`${project}${files}`);
  const cwd = path.join(folder.path, "app");
  const location = { cwd, homeDirectory: folder.path, env: cliEnvironment(folder.path), platform: "linux" } as const;
  await using app = createLocalApp({ location, log: silentLog });
  for await (const event of app.ask({ question, resources }, { signal: new AbortController().signal })) {
    if (event.type === "meta") return event.unavailable;
  }
  return "no answer";
}

test("a question about a dependency that no ecosystem reads says what to do instead, once", async () => {
  expect(await notRead("How does Phoenix route? Is phoenix fast?")).toEqual([
    {
      resource: "phoenix",
      tag: "ResourceNotOffered",
      error:
        "mix.exs lists it, and Elixir packages cannot be read yet; name its source instead: -r <URL of its repository>",
    },
  ]);
});

test("nothing is said where it is asked about its source, or the question is about something else", async () => {
  const files = "//- app/phoenix/lib/phoenix.ex\ndefmodule Phoenix do\nend\n";
  expect(await notRead("How does Phoenix route?", { files, resources: ["./phoenix"] })).toBeUndefined();
  expect(await notRead("How does the app route?")).toBeUndefined();
  const inProject = { files: "//- app/deps/phoenix/lib/phoenix.ex\ndefmodule Phoenix do\nend\n" };
  expect(await notRead("How does Phoenix route?", inProject)).toBeUndefined();
});
