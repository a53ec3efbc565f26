import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { addGitToken } from "../../../../server/hosted/secrets/git-tokens.ts";
import { createInvite } from "../../../../server/hosted/tenants/links.ts";
import { listMembers } from "../../../../server/hosted/tenants/members.ts";
import { createOwnKey, setOwnKeyRule } from "../../../../server/hosted/tenants/own-keys.ts";
import { changeAccess } from "../../../../server/hosted/tenants/resource-access.ts";
import type { Role } from "../../../../server/protocol/hosted-accounts.ts";
import { createBrowser } from "../../../support/browser.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { pageRoutes } from "../../../support/routes.ts";
import { type SignInProvider, signInProvider } from "../../../support/sign-in-provider.ts";
import { testEngines } from "../../../support/stores.ts";
import { createVisitor, signedIn, testPassword, type Visitor } from "../../../support/visitor.ts";

// Hundreds of requests, on a database that takes seconds to open.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

/** In the names, addresses, files and conversations of the limited resources, and nowhere else. */
const planted = "otters";
const secret = "repo-otters";
/** As long as the other, so that answers about both can be compared. */
const unknown = "repo-badger";

describe.each(testEngines())("a limited resource on $name", (engine) => {
  let git: GitServer;
  let provider: SignInProvider;
  let service: TestService;
  const visitors: Record<string, Visitor> = {};
  /** What agents send: keys, and access tokens of people. */
  const bearers: Record<string, string> = {};
  const allowed = ["owner", "admin", "eve", "naming key", "token of eve", "own key of eve"];
  let base: string;
  /** What is asked for where its name is a field: a conversation of eve about everything, and its share. */
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    git = await startGitServer();
    provider = await signInProvider();
    const { issuer, clientId, clientSecret } = provider;
    service = await startService(await engine.createDatabase(), {
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
      rateLimit: { perMinute: 100_000 },
      oidc: { issuer, clientId, clientSecret, domains: ["example.org"] },
    });
    const { store, keys, project } = service;
    base = `/p/${project.name}`;
    // Private, so that the URL alone opens nothing.
    const token = "glpat-0123456789";
    git.intercept((request, response) => {
      const isAllowed = request.headers.authorization === `Basic ${btoa(`oauth2:${token}`)}`;
      if (request.url?.startsWith("/private-otters") !== true || isAllowed) return false;
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return true;
    });
    const place = { host: `${new URL(git.origin).host}/private-otters`, username: "oauth2" };
    await addGitToken({ store, keys, project, actor: "operator" }, { ...place, name: "ci", token });
    visitors["owner"] = await signedIn(service, "owner@example.com");
    for (const [name, role] of [
      ["admin", "admin"],
      ["eve", "member"],
      ["bob", "member"],
    ] satisfies [string, Role][]) {
      const invite = await createInvite(store, project, { role, actor: "operator" });
      visitors[name] = createVisitor(service.url);
      await visitors[name].send(`/link/${invite.token}`, { email: `${name}@example.com`, password: testPassword });
    }
    for (const name of ["ann", "ida"]) {
      provider.person = { subject: name, email: `${name}@example.org`, isVerified: true };
      await createBrowser().open(new URL("/sign-in/provider", service.url).href);
    }
    bearers["whole key"] = await service.key();
    const add = async (name: string, repository: string) => {
      if (repository !== "absent-otters") {
        await git.commit(repository, { "lib/a.ts": `export const animals = "${name} live here";\n` });
      }
      await service.call(bearers["whole key"] ?? "", "addResource", { type: "git", name, url: git.url(repository) });
    };
    await add("repo-public", "public");
    await add(secret, "private-otters");
    await add("failing-otters", "absent-otters");
    await service.untilFetched();
    const members = new Map((await listMembers(store, project)).map(({ email, account }) => [email, account]));
    const accounts = ["eve@example.com", "ida@example.org"].map((email) => members.get(email) ?? "");
    for (const resource of [secret, "failing-otters"]) {
      await changeAccess(store, project, { resource, accounts, actor: "operator" });
    }
    bearers["naming key"] = await service.key(["ask", "read", "manage"], [secret]);
    bearers["key for another"] = await service.key(["ask", "read", "manage"], ["repo-public"]);
    const owner = (account: string) => ({ account, role: "member" }) as const;
    await setOwnKeyRule(store, project, { rule: { days: null }, actor: "operator" });
    for (const name of ["eve", "bob"]) {
      const account = members.get(`${name}@example.com`) ?? "";
      const made = await createOwnKey(store, project, { name, scopes: ["ask", "read"], owner: owner(account) });
      bearers[`own key of ${name}`] = made.key;
    }
    const claims = { iss: issuer, aud: service.url, exp: Math.floor(Date.now() / 1000) + 3600 };
    bearers["token of ann"] = await provider.sign({ ...claims, sub: "ann" });
    bearers["token of eve"] = await provider.sign({ ...claims, sub: "ida" });
    const asked = await visitors["eve"]?.send(`${base}/ask`, { question: "Where do the otters live?" });
    ids["thread"] = /name="thread" value="(\w+)"/.exec(asked?.text ?? "")?.[1] ?? "";
    const shared = await visitors["eve"]?.send(`${base}/ask/share`, { thread: ids["thread"] });
    ids["share"] = /\/shared\/([\w-]+)/.exec(shared?.path ?? "")?.[1] ?? "";
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  const fill = (path: string, values: Readonly<Record<string, string>>) =>
    path.replace(/:(\w+)/g, (_, parameter: string) =>
      encodeURIComponent(parameter === "project" ? service.project.name : (values[parameter] ?? "none")),
    );
  /** What differs between two loads of one page, and the name that was sent. */
  const neutral = (text: string, name: string) =>
    text
      .replaceAll(name, "NAME")
      .replaceAll(/\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-)?[0-9a-f]{12}\b/g, "ID")
      .replaceAll(/<time.*?<\/time>|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      // A fetch that `sync` requested goes on meanwhile.
      .replaceAll(/; (?:waiting to be fetched|being fetched since [^"]*)/g, "; FETCH")
      .replaceAll(/"fetch":\{.*?"progress":(?:null|\{.*?\})\}/g, "FETCH")
      .replaceAll(/\d+ ms|\d+\.\d s/g, "MS")
      // Times and counts of an answer.
      .replaceAll(/":[\d.e-]+/g, '":0');

  test("the words are there for those who may use it", async () => {
    expect(ids).toEqual({ thread: expect.stringMatching(/./), share: expect.stringMatching(/./) });
    for (const name of ["owner", "admin", "eve"]) {
      const textOf = async (path: string) => (await visitors[name]?.open(base + path))?.text;
      expect(await textOf("")).toContain("failing-otters");
      expect(await textOf("/resources")).toContain(secret);
      expect(await textOf("/ask")).toContain(secret);
      for (const end of ["", "?check=yes", "/markdown"]) {
        expect(await textOf(`/shared/${ids["share"]}${end}`)).toContain(planted);
      }
    }
  });

  test.each(["owner", "admin", "eve", "bob", "nobody"])("every page and form, as %s", async (name) => {
    const visitor = visitors[name] ?? createVisitor(service.url);
    const mayUse = allowed.includes(name);
    const routes = pageRoutes().filter(({ path }) => path.startsWith("/p/:project"));
    // Forms of the allowed change what the others are tried with.
    const tried = mayUse ? routes.filter(({ method }) => method === "get") : routes;
    const failures: unknown[] = [];
    let shown = 0;
    for (const { method, path, fields } of tried) {
      const parameters = [...path.matchAll(/:(\w+)/g)].map(([, parameter = ""]) => parameter);
      const named = [...fields, ...parameters.filter((parameter) => parameter !== "project")];
      for (const field of ["", ...named]) {
        const answers = await Promise.all(
          [secret, unknown].map(async (resource) => {
            const sample: Record<string, string> = {
              question: "Where do they live?",
              path: "lib/a.ts",
              lines: "L1",
              revision: "HEAD",
              resource: "repo-public",
            };
            const values = field === "" ? sample : { ...sample, [field]: ids[field] ?? resource };
            const query = method === "get" ? `?${String(new URLSearchParams(values))}` : "";
            const address = fill(path, values);
            return method === "get" ? visitor.open(address + query) : visitor.send(address, values);
          }),
        );
        const [about = "", other = ""] = answers.map(({ text }, index) =>
          neutral(text, index === 0 ? secret : unknown),
        );
        if (about.includes(planted)) shown++;
        // The events of a stream depend on its speed.
        const isStream = answers[0]?.headers.get("content-type")?.startsWith("text/event-stream") === true;
        const isFree = freeTexts.has(field) || ids[field] !== undefined || isStream;
        const differs = !isFree && (about !== other || answers[0]?.status !== answers[1]?.status);
        const isFailed = answers.some(({ status }) => status >= 500);
        if (isFailed || (!mayUse && (about.includes(planted) || differs))) {
          failures.push({ method, path, field, statuses: answers.map(({ status }) => status), about, other });
        }
      }
    }
    expect(failures).toEqual([]);
    expect(shown > 0).toBe(mayUse);
  });

  test.each([
    "whole key",
    "key for another",
    "naming key",
    "token of ann",
    "token of eve",
    "own key of eve",
    "own key of bob",
  ])("every tool, with the %s", async (name) => {
    const bearer = bearers[name] ?? "";
    const mayUse = allowed.includes(name);
    const listed = await service.send(bearer, { jsonrpc: "2.0", id: 1, method: "tools/list" });
    const { result } = Tools.parse(await listed.json());
    const samplesFor = (resource: string): Record<string, unknown> => ({
      question: "Where do the animals live?",
      query: "animals",
      text: `[[${resource}:lib/a.ts#L1]] and [[${git.url("private-otters")}:lib/a.ts#L1]]`,
      resource,
      resources: [resource],
      path: "lib/a.ts",
      before: `${resource}@HEAD`,
      after: "main",
      type: "npm",
      name: "another",
      package: "zod",
    });
    let shown = 0;
    for (const { name: tool, inputSchema } of result.tools) {
      const { properties, required } = inputSchema;
      // This adds a resource, which the other readers would see.
      if (tool === "addResource") continue;
      const optional = Object.keys(properties).filter((argument) => ["resource", "resources"].includes(argument));
      const all = [...new Set([...required, ...optional])];
      for (const [given, revision] of [
        [required, ""],
        [all, ""],
        [all, "@main"],
      ] as const) {
        const answers = await Promise.all(
          [secret, unknown].map(async (resource) => {
            const samples = samplesFor(`${resource}${revision}`);
            const args = Object.fromEntries(given.map((argument) => [argument, samples[argument]]));
            expect(Object.entries(args).filter(([, value]) => value === undefined)).toEqual([]);
            const text = JSON.stringify(await service.call(bearer, tool, args));
            return neutral(text.replaceAll(git.url("private-otters"), "URL"), resource);
          }),
        );
        if (answers[0]?.includes(planted) === true || answers[0] !== answers[1]) shown++;
        if (mayUse) continue;
        expect({ tool, given, text: answers[0] }).toEqual({ tool, given, text: answers[1] });
        expect({ tool, given, text: answers[0] }).not.toMatchObject({ text: expect.stringContaining(planted) });
      }
    }
    expect(result.tools.length).toBeGreaterThan(4);
    expect(shown > 0).toBe(mayUse);
  });

  test("verify opens the private repository by its URL only for those who may use it", async () => {
    const text = `See [[${git.url("private-otters")}:lib/a.ts#L1]].`;
    for (const [name, bearer] of Object.entries(bearers)) {
      const { structuredContent } = await service.call(bearer, "verify", { text });
      const expected = allowed.includes(name)
        ? { citations: [{ state: "verified" }] }
        : { snapshots: [], unavailable: [{ tag: "RepositoryNotFound" }] };
      expect({ name, ...structuredContent }).toMatchObject({ name, ...expected });
    }
  });
});

/** Fields whose value is a text of the visitor. */
const freeTexts = new Set(["question", "name", "source", "branchOrVersion", "month", "host", "email", "path", "lines"]);

const Tools = z.object({
  result: z.object({
    tools: z.array(
      z.object({
        name: z.string(),
        inputSchema: z.object({
          properties: z.record(z.string(), z.unknown()).default({}),
          required: z.array(z.string()).default([]),
        }),
      }),
    ),
  }),
});
