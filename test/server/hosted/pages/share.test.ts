import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createInvite } from "../../../../server/hosted/tenants/links.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";
import { createVisitor, signedIn, testPassword, type Visitor } from "../../../support/visitor.ts";

describe.each(testEngines())("sharing and exporting on $name", (engine) => {
  let git: GitServer;
  let service: TestService;
  let ada: Visitor;
  let bob: Visitor;
  let base: string;
  let origin: string;
  beforeAll(async () => {
    git = await startGitServer();
    await git.commit("lib", { "retry.ts": "export const retries = 3;\n" });
    service = await startService(await engine.createDatabase(), {
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
    });
    base = `/p/${service.project.name}`;
    ({ origin } = new URL(service.url));
    ada = await signedIn(service);
    bob = createVisitor(service.url);
    const { token } = await createInvite(service.store, service.project, { role: "member", actor: "operator" });
    await bob.send(`/link/${token}`, { email: "bob@example.com", password: testPassword });
    await ada.send(`${base}/resources`, { source: git.url("lib"), name: "lib" });
    await service.untilFetched();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  /** Without the marks of its colours. */
  const textOf = async (path: string) => (await ada.open(path)).text.replaceAll(/<[^>]+>/g, "");
  const ask = async (visitor: Visitor) => {
    const page = await visitor.send(`${base}/ask`, { question: "How many retries are there?" });
    return /name="thread" value="(\w+)"/.exec(page.text)?.[1] ?? "";
  };

  test("a member opens what another one shares, with citations, until it is no longer shared", async () => {
    const thread = await ask(bob);
    const [, askedAt = ""] =
      /name="askedAt" value="([^"]+)"/.exec((await bob.open(`${base}/ask/${thread}`)).text) ?? [];
    const shared = await bob.send(`${base}/ask/share`, { thread, askedAt });
    expect([shared.status, shared.text]).toEqual([200, expect.stringContaining("Members of this project can open")]);
    const [path = ""] = shared.path.split("?");
    expect(shared.text).toContain(`${origin}${path}</code>`);
    const seen = await ada.open(path);
    expect(seen.text).toContain("Shared by bob@example.com");
    const [, source = ""] = /href="([^"]+\/source\?[^"]+)"/.exec(seen.text) ?? [];
    expect(await textOf(source.replaceAll("&amp;", "&"))).toContain("export const retries = 3;");
    expect((await bob.open(`${base}/ask/${thread}`)).text).toContain(`href="${path}"`);

    const stranger = await createVisitor(service.url).open(path);
    expect(stranger.path).toMatch(/^\/sign-in\?/);
    const share = path.split("/").at(-1) ?? "";
    const ended = await bob.send(`${base}/ask/unshare`, { share });
    expect([ended.path, ended.text]).toEqual([
      `${base}/ask?done=unshared`,
      expect.stringContaining("no longer shared"),
    ]);
    for (const visitor of [ada, bob]) expect((await visitor.open(path)).status).toBe(404);
    expect(await bob.send(`${base}/ask/unshare`, { share })).toMatchObject({ status: 404 });
    // Nobody else's conversation.
    expect(await ada.send(`${base}/ask/share`, { thread })).toMatchObject({ status: 404 });
    expect(await bob.send(`${base}/ask/share`, { thread, askedAt: "yesterday" })).toMatchObject({ status: 400 });
  });

  test("an export has the answer and links that open elsewhere: of the account, and of what is shared", async () => {
    const thread = await ask(bob);
    const own = await bob.open(`${base}/ask/markdown?thread=${thread}`);
    expect([own.headers.get("content-type"), own.headers.get("content-disposition")]).toEqual([
      "text/markdown; charset=utf-8",
      "attachment; filename=conversation.md",
    ]);
    expect(own.text).toMatch(/^# How many retries are there\?\n/);
    const links = [...own.text.matchAll(/\]\(([^)]+)\)/g)].map(([, url = ""]) => url);
    expect(links.length).toBeGreaterThan(1);
    for (const link of links) {
      expect(link).toMatch(new RegExp(`^${origin}${base}/source\\?resource=lib&path=retry.ts&revision=[0-9a-f]{40}&`));
      expect(await textOf(link)).toContain("export const retries = 3;");
    }
    const { path } = await bob.send(`${base}/ask/share`, { thread });
    expect((await ada.open(`${path.split("?")[0]}/markdown`)).text).toBe(own.text);
    expect((await bob.open(`${base}/ask/markdown`)).path).toBe(`${base}/ask`);
    expect(await ada.open(`${base}/ask/markdown?thread=${thread}`)).toMatchObject({ status: 404 });
  });

  test("“Still true?” compares the cited lines with what is fetched now", async () => {
    const thread = await ask(bob);
    const { path } = await bob.send(`${base}/ask/share`, { thread });
    const check = () =>
      Promise.all([ada.open(`${path.split("?")[0]}?check=yes`), bob.open(`${base}/ask/check?thread=${thread}`)]);
    for (const { text } of await check()) expect(text).toContain("1 citation: 1 unchanged.");
    await git.commit("lib", { "retry.ts": "// How often.\nexport const retries = 3;\n" });
    await ada.send(`${base}/resources/sync`, { resource: "lib" });
    await service.untilFetched();
    for (const { text } of await check()) {
      expect(text).toContain("1 citation: 1 moved.");
      expect(text.replaceAll(/\s+/g, " ")).toMatch(/>moved to <a href="[^"]+lines=L2-L2#L2" ?><bdi>retry\.ts:2</);
    }
    await git.commit("lib", { "retry.ts": "export const retries = 4;\n" });
    await ada.send(`${base}/resources/sync`, { resource: "lib" });
    await service.untilFetched();
    for (const { text } of await check()) expect(text).toContain("1 citation: 1 changed.");
    expect((await bob.open(`${base}/ask/check?thread=//x`)).path).toBe(`${base}/ask`);
  });
});
