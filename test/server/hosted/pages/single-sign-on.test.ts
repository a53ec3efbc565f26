import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { createInvite, createOwnerLink } from "../../../../server/hosted/tenants/links.ts";
import { listMembers, removeMember } from "../../../../server/hosted/tenants/members.ts";
import type { OidcSettings } from "../../../../server/hosted/sign-in/issuer.ts";
import { createLog, silentLog } from "../../../../server/lib/log.ts";
import { createBrowser } from "../../../support/browser.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { type SignInProvider, signInProvider } from "../../../support/sign-in-provider.ts";
import { testEngines } from "../../../support/stores.ts";
import { createVisitor, signedIn, testPassword } from "../../../support/visitor.ts";

describe.each(testEngines())("single sign-on on $name", (engine) => {
  let provider: SignInProvider;
  let service: TestService;
  beforeAll(async () => {
    provider = await signInProvider();
    service = await start();
  });
  // All visitors have one address, whose attempts to sign in are limited.
  beforeEach(async () => {
    await service.store.query("delete from rate");
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  async function start(settings: Partial<OidcSettings> = {}, log = silentLog): Promise<TestService> {
    const { issuer, clientId, clientSecret } = provider;
    const oidc = { issuer, clientId, clientSecret, domains: ["example.com"], ...settings };
    return startService(await engine.createDatabase(), { oidc, log });
  }

  /** Follows the redirects to the provider and back. */
  const signIn = (query = "", { url } = service, browser = createBrowser()) =>
    browser.open(new URL(`/sign-in/provider${query}`, url).href);

  test("the pages link to the provider", async () => {
    const { text } = await createVisitor(service.url).open("/sign-in?next=/p/x");
    const href = new URL("/sign-in/provider?next=%2Fp%2Fx", service.url).href;
    expect(text).toContain(`<a class="button" href="${href}">Sign in with ${new URL(provider.issuer).host}</a>`);
    await using without = await startService(await engine.createDatabase());
    expect((await createVisitor(without.url).open("/sign-in")).text).not.toContain("Sign in with");
    expect((await createVisitor(without.url).open("/sign-in/provider")).status).toBe(404);
  });

  test("a verified address of a trusted domain joins the project as a member, once", async () => {
    provider.person = { subject: "ann", email: "Ann@Example.com", isVerified: true };
    const page = await signIn();
    expect(page).toMatchObject({ status: 200, url: new URL(`/p/${service.project.name}`, service.url).href });
    expect(page.text).toContain("ann@example.com");
    const [ann] = (await listMembers(service.store, service.project)).filter(
      ({ email }) => email === "ann@example.com",
    );
    expect(ann?.role).toBe("member");
    const audit = await listAudit(service.store, service.project.id);
    expect(audit).toContainEqual(
      expect.objectContaining({
        action: "identity.connected",
        target: ann?.account,
        detail: { issuer: provider.issuer, subject: "ann" },
      }),
    );
    await removeMember(service.store, { project: service.project, account: ann?.account ?? "", actor: "operator" });
    const again = await signIn();
    expect([again.status, again.text]).toEqual([200, expect.stringContaining("You are not a member of any project")]);
  });

  test.each([
    ["an address that is not verified", { subject: "bob", email: "bob@example.com", isVerified: false }, 403],
    ["another domain", { subject: "bob", email: "bob@example.org", isVerified: true }, 403],
    ["a domain that only ends alike", { subject: "bob", email: "bob@notexample.com", isVerified: true }, 403],
    ["no address", { subject: "bob" }, 401],
  ])("%s needs an invitation", async (_name, person, status) => {
    provider.person = person;
    const page = await signIn();
    expect(page.status).toBe(status);
    expect(page.text).toMatch(/ask an owner of your project for an invitation|claim email/i);
  });

  test("an invitation and the operator's link are opened by signing in", async () => {
    provider.person = { subject: "carl", email: "carl@example.org", isVerified: false };
    const { token } = await createInvite(service.store, service.project, { role: "admin", actor: "operator" });
    expect((await createVisitor(service.url).open(`/link/${token}`)).text).toContain(`/sign-in/provider?link=${token}`);
    const home = new URL(`/p/${service.project.name}`, service.url).href;
    const browser = createBrowser();
    expect(await signIn(`?link=${token}`, service, browser)).toMatchObject({ status: 200, url: home });
    expect((await signIn(`?link=${token}`)).status).toBe(404);
    const owner = await createOwnerLink(service.store, service.project);
    expect((await signIn(`?link=${owner.token}`, service, browser)).status).toBe(200);
    const members = await listMembers(service.store, service.project);
    expect(members).toContainEqual(expect.objectContaining({ email: "carl@example.org", role: "owner" }));
  });

  test("an account with a password is not connected by an address alone", async () => {
    await signedIn(service, "dora@example.org");
    provider.person = { subject: "dora", email: "dora@example.org", isVerified: true };
    for (const query of ["", `?link=${(await createOwnerLink(service.store, service.project)).token}`]) {
      const page = await signIn(query);
      expect([page.status, page.text]).toEqual([401, expect.stringContaining("An account with the address")]);
    }
  });

  test("an account with a password is connected from its own page only", async () => {
    const visitor = await signedIn(service, "emil@example.org");
    provider.person = { subject: "emil", email: "emil@elsewhere.example", isVerified: false };
    expect((await visitor.open("/account")).text).toContain("No sign-in provider is connected");
    const foreign = await visitor.open("/sign-in/provider?connect=true", { "sec-fetch-site": "cross-site" });
    expect(foreign.status).toBe(403);
    const connected = await visitor.open("/sign-in/provider?connect=true", { "sec-fetch-site": "same-origin" });
    expect(connected).toMatchObject({ status: 200, path: expect.stringContaining("/account?done=connected") });
    expect((await signIn()).text).toContain("emil@example.org");
    const other = await signedIn(service, "eva@example.org");
    const taken = await other.open("/sign-in/provider?connect=true", { "sec-fetch-site": "same-origin" });
    expect([taken.status, taken.text]).toEqual([401, expect.stringContaining("connected to the account emil@")]);
  });

  test("a trusted address takes over the account that someone made with it; its maker can sign in to it no more", async () => {
    const maker = await signedIn(service, "fay@example.com");
    provider.person = { subject: "mallory", email: "mallory@elsewhere.example", isVerified: false };
    await maker.open("/sign-in/provider?connect=true", { "sec-fetch-site": "same-origin" });
    expect((await signIn()).text).toContain("fay@example.com");
    provider.person = { subject: "fay", email: "fay@example.com", isVerified: true };
    expect((await signIn()).status).toBe(200);
    expect((await maker.open("/")).path).toMatch(/^\/sign-in/);
    const password = await createVisitor(service.url).send("/sign-in", {
      email: "fay@example.com",
      password: testPassword,
    });
    expect(password.status).toBe(401);
    provider.person = { subject: "mallory", email: "mallory@elsewhere.example", isVerified: false };
    expect((await signIn()).status).toBe(403);
  });

  test("a page of another site joins no project for its visitor, but leads to the page of the link", async () => {
    const { token } = await createInvite(service.store, service.project, { role: "member", actor: "operator" });
    provider.person = { subject: "nina", email: "nina@example.org", isVerified: true };
    const visitor = createVisitor(service.url);
    const address = `/sign-in/provider?link=${token}`;
    expect((await visitor.open(address, { "sec-fetch-site": "cross-site" })).path).toBe(`/link/${token}`);
    expect((await visitor.open(address, { "sec-fetch-site": "same-origin" })).path).toContain(service.project.name);
  });

  test("a trusted address with an account of a password opens an invitation", async () => {
    await signedIn(service, "hal@example.com");
    provider.person = { subject: "hal", email: "hal@example.com", isVerified: true };
    const { email } = provider.person;
    await service.store.query("delete from member m using account a where a.id = m.account and a.email = $1", [email]);
    const { token } = await createInvite(service.store, service.project, { role: "admin", actor: "operator" });
    const page = await signIn(`?link=${token}`);
    expect(page).toMatchObject({ status: 200, url: new URL(`/p/${service.project.name}`, service.url).href });
    expect(await listMembers(service.store, service.project)).toContainEqual(
      expect.objectContaining({ email, role: "admin" }),
    );
    expect(page.text).toContain(`signing in with ${new URL(provider.issuer).host}`);
  });

  test("two sign-ins of one new person at once make one account", async () => {
    provider.person = { subject: "gus", email: "gus@example.com", isVerified: true };
    const pages = await Promise.all([signIn(), signIn(), signIn()]);
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200]);
    const members = await listMembers(service.store, service.project);
    expect(members.filter(({ email }) => email === "gus@example.com")).toHaveLength(1);
  });

  test("a person or a provider that refuses is reported", async () => {
    provider.person = undefined;
    const page = await signIn();
    expect([page.status, page.text]).toEqual([
      401,
      expect.stringContaining("refused the sign-in (access_denied: the person said no)"),
    ]);
  });

  test.each([
    ["another state", "?code=x&state=other"],
    ["no state", "?code=x"],
    ["nothing", ""],
  ])("a redirect with %s is refused, and so is one to another browser", async (_name, query) => {
    const page = await createVisitor(service.url).open(`/sign-in/callback${query}`);
    expect([page.status, page.text]).toEqual([401, expect.stringContaining("was not started in this browser")]);
  });

  test("a redirect that claims another issuer, or with a wrong code, is refused", async () => {
    for (const [query, text] of [
      ["code=x&iss=http%3A%2F%2F127.0.0.1%3A1", "is not valid"],
      ["code=x", "refused the sign-in (invalid_grant"],
      ["error=temporarily_unavailable", "refused the sign-in (temporarily_unavailable)"],
    ] as const) {
      const iss = query.includes("iss=") ? "" : `&iss=${encodeURIComponent(provider.issuer)}`;
      const started = await fetch(new URL("/sign-in/provider", service.url), { redirect: "manual" });
      const state = new URL(started.headers.get("location") ?? "").searchParams.get("state") ?? "";
      const [cookie = ""] = started.headers.getSetCookie();
      expect(cookie.split("; ")).toEqual(expect.arrayContaining(["HttpOnly", "Secure", "SameSite=Lax", "Path=/"]));
      const page = await fetch(new URL(`/sign-in/callback?${query}${iss}&state=${state}`, service.url), {
        headers: { cookie: cookie.split(";")[0] ?? "" },
      });
      expect([page.status, await page.text()]).toEqual([401, expect.stringContaining(text)]);
    }
  });

  test("a wrong secret is reported as a fault of the service", async () => {
    const lines: string[] = [];
    const log = createLog("warn", (line) => lines.push(line));
    await using misconfigured = await start({ clientSecret: "another secret that is wrong" }, log);
    provider.person = { subject: "ann", email: "ann@example.com", isVerified: true };
    const page = await signIn("", misconfigured);
    expect([page.status, page.text]).toEqual([500, expect.stringContaining("CITEWELL_OIDC_CLIENT_SECRET")]);
    expect(lines.join("\n")).toContain("does not accept the client id or the secret");
    expect(lines.join("\n")).not.toContain("another secret");
  });

  test("an issuer that is away, or that is none, is reported", async () => {
    const gone = await signInProvider();
    await gone[Symbol.asyncDispose]();
    await using away = await start({ issuer: gone.issuer });
    const page = await signIn("", away);
    expect([page.status, page.text]).toEqual([502, expect.stringMatching(/The sign-in provider .* cannot be used: /)]);
    await using none = await start({ issuer: new URL(service.url).origin });
    expect((await signIn("", none)).status).toBe(502);
  });
});
