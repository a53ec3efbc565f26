import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openPglite } from "../../../../server/hosted/store/embedded.ts";
import { temporaryFolder } from "../../../support/folder.ts";

test("a new database has small buffers, and none is left where it cannot be made", async () => {
  await using folder = await temporaryFolder();
  await using engine = await openPglite(path.join(folder.path, "postgres"));
  const { rows } = await engine.query("select setting, source from pg_settings where name = 'shared_buffers'");
  expect(rows).toEqual([{ setting: "1024", source: "command line" }]);
  await writeFile(path.join(folder.path, "file"), "");
  await expect(openPglite(path.join(folder.path, "file", "postgres"))).rejects.toMatchObject({
    tag: "StorageFailed",
    message: expect.stringMatching(/^no database could be made in .*postgres: /),
  });
});
