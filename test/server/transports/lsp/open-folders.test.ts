import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { ResourceList } from "../../../../server/protocol/resource.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { type LspClient, startLsp } from "../../../support/lsp.ts";

const files = `
//- app/citewell.config.jsonc
{ "model": "extractive", "resources": [{ "type": "local", "name": "docs", "path": "./docs" }] }
//- app/docs/guide.md
# Guide
//- site/citewell.config.jsonc
{ "resources": [{ "type": "local", "name": "notes", "path": "./notes" }] }
//- site/notes/a.md
# Notes
//- neutral/a.md
text
`;

async function listed(client: LspClient): Promise<string[]> {
  const reply = await client.call("citewell/listResources");
  const { resources } = ResourceList.parse("result" in reply ? reply.result : undefined);
  return resources.filter(({ origin }) => origin !== "default").map(({ name, origin }) => `${name} ${origin}`);
}

test("open folders are resources, each with its own configuration, as they come and go", async () => {
  await using folder = await temporaryFolder(files);
  const [app, site] = [path.join(folder.path, "app"), path.join(folder.path, "site")];
  await using client = await startLsp({ folder: app, workspaceFolders: [app] });
  expect(await listed(client)).toEqual(["app project", "docs listed"]);
  const entry = { uri: pathToFileURL(site).href, name: "site" };
  const change = (event: object) =>
    client.connection.sendNotification("workspace/didChangeWorkspaceFolders", { event });
  await change({ added: [entry], removed: [] });
  expect(await listed(client)).toEqual(["app project", "site project", "notes listed", "docs listed"]);
  const removed = await client.call("citewell/removeResource", { name: "notes" });
  expect(removed).toEqual({ result: { success: true, name: "notes" } });
  expect(await listed(client)).toEqual(["app project", "site project", "docs listed"]);
  await change({ added: [], removed: [entry] });
  expect(await listed(client)).toEqual(["app project", "docs listed"]);
});

test("started outside of the open folders, as in an untrusted window, no configuration of theirs applies", async () => {
  await using folder = await temporaryFolder(files);
  const app = path.join(folder.path, "app");
  await using client = await startLsp({ folder: path.join(folder.path, "neutral"), workspaceFolders: [app] });
  expect(await listed(client)).toEqual(["app project"]);
});
