import { createHmac, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setLimits } from "../../../../server/hosted/limits/project-limits.ts";
import { createWebhook, removeWebhook } from "../../../../server/hosted/secrets/webhooks.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";
import { signedIn } from "../../../support/visitor.ts";

describe.each(testEngines())("the webhook on $name", (engine) => {
  let git: GitServer;
  let service: TestService;
  let key: string;
  let secret: string;
  beforeAll(async () => {
    git = await startGitServer();
    await git.commit("lib", { "a.js": "// one\n" });
    await git.commit("lib", { "a.js": "// one\n" }, { branch: "next" });
    service = await startService(await engine.createDatabase(), {
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
    });
    key = await service.key();
    await service.call(key, "addResource", { type: "git", name: "lib", url: git.url("lib") });
    await service.call(key, "addResource", { type: "git", name: "next", url: `${git.url("lib")}.git`, branch: "next" });
    await service.untilFetched();
    ({ secret } = await createWebhook(service.store, {
      keys: service.keys,
      project: service.project,
      actor: "operator",
    }));
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  const sign = (body: string, by = secret) => createHmac("sha256", by).update(body).digest("hex");
  const send = (body: string, headers: Record<string, string>, project = service.project.id) =>
    fetch(new URL(`/hooks/${project}`, service.url), { method: "POST", body, headers });
  const json = { "content-type": "application/json" };
  const signed = (body: string, headers: Record<string, string> = json) =>
    send(body, { ...headers, "x-hub-signature-256": `sha256=${sign(body)}` });
  const push = (address: string, ref = "refs/heads/main") =>
    JSON.stringify({ ref, repository: { clone_url: address } });
  const resourcesOf = async (response: Response) => [response.status, await response.json()];

  test("a push fetches the resources of its repository and branch, and no other", async () => {
    const commit = await git.commit("lib", { "a.js": "// two\n" });
    expect(await resourcesOf(await signed(push(`${git.url("lib")}.git`)))).toEqual([202, { resources: ["lib"] }]);
    await service.untilFetched();
    const { resources } = (await service.call(key, "listResources")).structuredContent ?? {};
    const revisions = Array.isArray(resources) ? resources.map(({ name, revision }) => [name, revision]) : [];
    expect(revisions).toContainEqual(["lib", commit]);
    expect(revisions).not.toContainEqual(["next", commit]);
    const next = await signed(push(git.url("LIB"), "refs/heads/next"));
    expect(await resourcesOf(next)).toEqual([202, { resources: ["next"] }]);
  });

  test.each<[string, (body: string) => Record<string, string>, (address: string) => object]>([
    [
      "GitHub",
      (body) => ({ "x-hub-signature-256": `sha256=${sign(body)}` }),
      (url) => ({ repository: { html_url: url } }),
    ],
    ["GitLab", () => ({ "x-gitlab-token": secret }), (url) => ({ project: { git_http_url: `${url}.git` } })],
    ["Gitea", (body) => ({ "x-gitea-signature": sign(body) }), (url) => ({ repository: { clone_url: url } })],
    ["Forgejo", (body) => ({ "x-forgejo-signature": sign(body) }), (url) => ({ repository: { clone_url: url } })],
  ])("%s is understood, and refused with another secret", async (_host, headersOf, repositoryOf) => {
    const body = JSON.stringify({ ref: "refs/heads/main", ...repositoryOf(git.url("lib")) });
    expect(await resourcesOf(await send(body, { ...json, ...headersOf(body) }))).toEqual([202, { resources: ["lib"] }]);
    const valid = secret;
    secret = "another";
    const refused = await send(body, { ...json, ...headersOf(body) });
    secret = valid;
    expect(await resourcesOf(refused)).toEqual([401, { error: "KeyInvalid", message: "the signature is not valid" }]);
  });

  test("GitHub's form is understood", async () => {
    const form = new URLSearchParams({ payload: push(git.url("lib")) }).toString();
    const type = { "content-type": "application/x-www-form-urlencoded" };
    expect(await resourcesOf(await signed(form, type))).toEqual([202, { resources: ["lib"] }]);
  });

  test.each([
    ["another repository", push("https://git.example/lib")],
    ["another branch", push("https://localhost/lib", "refs/heads/other")],
    ["a ping", JSON.stringify({ zen: "Keep it logically awesome." })],
    ["no JSON", "hello"],
    ["nothing", ""],
    ["an address that is none", push("lib")],
  ])("%s is accepted and does nothing", async (_what, body) => {
    expect(await resourcesOf(await signed(body))).toEqual([202, { resources: [] }]);
  });

  test("what is not signed, signed for another body, or for a project without a webhook, is refused alike", async () => {
    const body = push(git.url("lib"));
    const other = await createProject(service.store, "no-webhook");
    const answers = await Promise.all([
      send(body, json),
      send(body, { ...json, "x-hub-signature-256": `sha256=${sign(`${body} `)}` }),
      send(body, { ...json, "x-hub-signature-256": `sha1=${sign(body)}` }),
      send(body, { ...json, "x-gitlab-token": "" }),
      send(body, { ...json, "x-gitlab-token": secret }, other.id),
      send(body, { ...json, "x-gitlab-token": secret }, randomUUID()),
      send(body, { ...json, "x-gitlab-token": secret }, "team"),
    ]);
    const refusal = [401, { error: "KeyInvalid", message: "the signature is not valid" }];
    expect(await Promise.all(answers.map(resourcesOf))).toEqual(answers.map(() => refusal));
    const large = "x".repeat(2 * 1024 * 1024 + 1);
    expect((await signed(large)).status).toBe(413);
  });

  test("of two secrets that are made at once, one stays", async () => {
    const project = await createProject(service.store, "two-at-once");
    const make = () => createWebhook(service.store, { keys: service.keys, project, actor: "operator" });
    const made = await Promise.all([make(), make(), make()]);
    const answers = made.map((one) => send("{}", { ...json, "x-gitlab-token": one.secret }, project.id));
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([202, 401, 401]);
  });

  test("wrong signatures from one address are limited, and those that are right still work", async () => {
    const body = push(git.url("lib"));
    const wrong = Array.from({ length: 40 }, () => send(body, { ...json, "x-gitlab-token": "wrong" }, randomUUID()));
    const statuses = (await Promise.all(wrong)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect((await signed(body)).status).toBe(202);
    await service.store.query("delete from rate where key like 'hook:unsigned:%'");
    await service.untilFetched();
  });

  test("a push beyond the fetches an hour of the project is 429", async () => {
    await service.untilFetched();
    // A later hour, so that none ends meanwhile.
    await service.store.query(
      "update fetch_usage set hour = hour + interval '2 hours', fetches = 1 where project = $1",
      [service.project.id],
    );
    await setLimits(service.store, service.project.id, { fetches: 1 });
    const refused = await signed(push(git.url("lib")));
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: "LimitReached", message: expect.stringContaining("limit of 1 fetches an hour is reached") },
    ]);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await resourcesOf(await signed(push("https://localhost/other")))).toEqual([202, { resources: [] }]);
    await setLimits(service.store, service.project.id, { fetches: null });
  });

  test("a push that is sent many times requests one fetch that waits, until the limit refuses it", async () => {
    const body = push(git.url("lib"));
    const pushes = await Promise.all([1, 2, 3].map(() => signed(body)));
    expect(pushes.map(({ status }) => status)).toEqual([202, 202, 202]);
    // The state after more pushes than a slow machine can send in a minute.
    const exhausted = "update rate set tat = extract(epoch from clock_timestamp()) + 120 where key = $1";
    expect((await service.store.query(exhausted, [`hook:${service.project.id}`])).count).toBe(1);
    const refused = await signed(body);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    const { rows } = await service.store.query("select count(*)::int as jobs from job where resource = 'lib'");
    expect(rows).toEqual([{ jobs: 1 }]);
    await service.untilFetched();
  });

  test("its page shows the secret once, and the last push", async () => {
    const owner = await signedIn(service);
    const base = `/p/${service.project.name}/webhook`;
    const before = await owner.open(base);
    expect(before.text).toMatch(/Last push<\/dt>\s*<dd><time/);
    expect(before.text).toContain(`${new URL(service.url).origin}/hooks/${service.project.id}`);
    const made = await owner.send(base);
    const [, shown = ""] = /<code id="secret" class="whole">([\w-]{43})<\/code>/.exec(made.text) ?? [];
    const body = push(git.url("elsewhere"));
    expect((await send(body, { ...json, "x-gitlab-token": secret })).status).toBe(401);
    // Signed; the limit of the test before may still hold.
    expect([202, 429]).toContain((await send(body, { ...json, "x-gitlab-token": shown })).status);
    expect((await owner.open(base)).text).not.toContain(shown);
    expect((await owner.send(`${base}/remove`)).text).toContain("The webhook is removed");
    expect((await send(body, { ...json, "x-gitlab-token": shown })).status).toBe(401);
    const removing = removeWebhook(service.store, { project: service.project, actor: "operator" });
    await expect(removing).rejects.toMatchObject({ tag: "TokenNotFound" });
  });
});
