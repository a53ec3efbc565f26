import { describe, expect, test } from "vitest";
import { startService } from "../../../support/hosted.ts";
import { findPostgres, startPostgres } from "../../../support/postgres.ts";

const installed = findPostgres();
describe.each(installed === undefined ? [] : [installed])("readiness with PostgreSQL in %s", (bin) => {
  test("without its database a node lives and is not ready, and becomes ready again by itself", async () => {
    await using database = await startPostgres(bin);
    await using service = await startService({ url: await database.createDatabase() });
    const statusOf = async (path: string) => (await fetch(new URL(path, service.url))).status;
    expect(await statusOf("/readyz")).toBe(200);
    await database.crash();
    expect([await statusOf("/readyz"), await statusOf("/healthz")]).toEqual([503, 200]);
    await database.start();
    expect(await statusOf("/readyz")).toBe(200);
  });
});
