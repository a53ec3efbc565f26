import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createInvite } from "../../../../server/hosted/tenants/links.ts";
import { createLog } from "../../../../server/lib/log.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { installedPostgres, type PostgresServer, startPostgres } from "../../../support/postgres.ts";
import { type ScriptedModel, scriptedModel } from "../../../support/scripted-model.ts";
import { createVisitor, signedIn } from "../../../support/visitor.ts";

const waiting = { timeout: 60_000, interval: 50 };

// The embedded database is part of the process: it cannot be away.
describe.each(installedPostgres())("while PostgreSQL in %s is away", (bin) => {
  let database: PostgresServer;
  let git: GitServer;
  let model: ScriptedModel;
  let service: TestService;
  let key: string;
  const release = new EventEmitter();
  const logged: string[] = [];
  beforeAll(async () => {
    database = await startPostgres(bin);
    git = await startGitServer();
    model = await scriptedModel(() => ({
      later: { after: once(release, "release"), text: "It does [[lib:a.js#L1]]." },
    }));
    service = await startService(
      { url: await database.createDatabase() },
      {
        config: model.config,
        env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
        log: createLog("debug", (line) => logged.push(line)),
      },
    );
    key = await service.key();
    await git.commit("lib", { "a.js": "// otters\n" });
    await service.call(key, "addResource", { type: "git", name: "lib", url: git.url("lib") });
    await service.untilFetched();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const statusOf = async (path: string) => (await fetch(new URL(path, service.url))).status;

  test("a running question is answered, calls fail with a reason, and all works again by itself", async () => {
    const owner = await signedIn(service);
    const { token } = await createInvite(service.store, service.project, { role: "member", actor: "operator" });
    const answer = service.call(key, "ask", { question: "Does it otter?" });
    await model.request(0);
    await database.crash();

    expect([await statusOf("/readyz"), await statusOf("/healthz")]).toEqual([503, 200]);
    const refused = await service.send(key, { jsonrpc: "2.0", id: 1, method: "ping" });
    const texts = [await refused.text()];
    for (const path of [`/p/${service.project.name}`, `/link/${token}`, `/password/${token}`]) {
      const page = await owner.open(path);
      expect([path, page.status]).toEqual([path, 503]);
      texts.push(page.text);
    }
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    // The reason, with the address of the database, is for the operator.
    for (const text of texts) {
      expect(text).toMatch(/the service.{1,5}s database cannot be reached now/i);
      expect(text).not.toMatch(/PGSQL|ECONN|ENOENT|terminat/);
    }
    expect(logged.join("\n")).toMatch(/PGSQL|ECONN|ENOENT/);
    release.emit("release");
    expect(await answer).toMatchObject({ isError: false, content: [{ text: expect.stringContaining("It does") }] });

    await database.start();
    expect(await statusOf("/readyz")).toBe(200);
    expect(await service.call(key, "search", { query: "otters", mode: "exact" })).toMatchObject({ isError: false });
    expect((await createVisitor(service.url).open(`/link/${token}`)).text).toContain(`Join ${service.project.name}`);
    await git.commit("lib", { "a.js": "// more otters\n" });
    await service.call(key, "sync");
    await vi.waitFor(async () => {
      const found = await service.call(key, "search", { query: "more otters", mode: "exact" });
      expect(JSON.stringify(found.structuredContent)).toContain("a.js");
    }, waiting);
    // A log is read by more people than may use a link.
    expect(logged.join("\n")).toContain("/link/…");
    expect(logged.join("\n")).not.toContain(token);
  });
});
