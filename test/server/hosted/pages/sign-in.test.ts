import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { createInvite, createOwnerLink } from "../../../../server/hosted/tenants/links.ts";
import { createPasswordLink } from "../../../../server/hosted/tenants/password-links.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";
import { createVisitor, signedIn, testPassword } from "../../../support/visitor.ts";

const email = "ada@example.com";

describe.each(testEngines())("signing in on $name", (engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(await engine.createDatabase());
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test("the owner link makes an account, once, and opens the project", async () => {
    const visitor = createVisitor(service.url);
    const { token } = await createOwnerLink(service.store, service.project);
    const form = await visitor.open(`/link/${token}`);
    expect([form.status, form.text]).toEqual([200, expect.stringContaining(`Join ${service.project.name}`)]);
    const home = await visitor.send(`/link/${token}`, { email: " Ada@Example.com ", password: testPassword });
    expect(home).toMatchObject({ status: 200, path: `/p/${service.project.name}` });
    expect(home.text).toContain(email);
    const again = await createVisitor(service.url).send(`/link/${token}`, {
      email: "eve@example.com",
      password: testPassword,
    });
    expect([again.status, again.text]).toEqual([404, expect.stringContaining("has expired or was already used")]);
    const audit = await listAudit(service.store, service.project.id);
    expect(audit.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["link.created", "member.joined", "session.started"]),
    );
  });

  test("after signing in, the page that was asked for opens; after signing out, it does not", async () => {
    await signedIn(service, "grace@example.com");
    const visitor = createVisitor(service.url);
    const home = `/p/${service.project.name}`;
    const asked = await visitor.open(home);
    expect(asked).toMatchObject({ status: 200, path: `/sign-in?next=${encodeURIComponent(home)}` });
    const opened = await visitor.send(asked.path, { email: "grace@example.com", password: testPassword });
    expect(opened).toMatchObject({ status: 200, path: home });
    expect((await visitor.send("/sign-out")).path).toBe("/sign-in");
    expect((await visitor.open(home)).path).toMatch(/^\/sign-in/);
  });

  test("a session that was ended elsewhere is over, whatever cookie is sent", async () => {
    const visitor = await signedIn(service, "alan@example.com");
    await service.store.query("delete from session");
    expect((await visitor.open("/")).path).toMatch(/^\/sign-in/);
  });

  test("the cookie is kept from scripts, other sites and plain http", async () => {
    const { token } = await createOwnerLink(service.store, service.project);
    const response = await fetch(new URL(`/link/${token}`, service.url), {
      method: "POST",
      body: new URLSearchParams({ email: "cookie@example.com", password: testPassword }),
      headers: { "sec-fetch-site": "same-origin" },
      redirect: "manual",
    });
    const [cookie = ""] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-citewell=[\w-]{43}; /);
    expect(cookie.split("; ")).toEqual(
      expect.arrayContaining(["Max-Age=604800", "Path=/", "HttpOnly", "Secure", "SameSite=Lax"]),
    );
  });

  test("a wrong password and an unknown address fail the same way, and the password is not written back", async () => {
    await signedIn(service, "known@example.com");
    const visitor = createVisitor(service.url);
    for (const address of ["known@example.com", "unknown@example.com"]) {
      const page = await visitor.send("/sign-in", { email: address, password: "wrong-password-1" });
      expect([page.status, page.text]).toEqual([
        401,
        expect.stringContaining("The e-mail address or the password is wrong."),
      ]);
      expect(page.text).toContain(`value="${address}"`);
      expect(page.text).not.toContain("wrong-password-1");
    }
  });

  test("a form that is not filled in says what is missing, with its field", async () => {
    const { token } = await createOwnerLink(service.store, service.project);
    const page = await createVisitor(service.url).send(`/link/${token}`, { email: "nobody", password: "short" });
    expect(page.status).toBe(400);
    expect(page.text).toMatch(/<input\s+id="email"[^>]*aria-describedby="email-error" aria-invalid="true"/);
    expect(page.text).toContain('<p class="error" id="password-error">a password needs at least 12 characters</p>');
  });

  test.each([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another port of this host", { "sec-fetch-site": "same-site" }],
    ["another origin, of an older browser", { origin: "http://localhost:1" }],
    ["no origin", {}],
  ])("a form of %s is 403", async (_name, headers) => {
    const page = await createVisitor(service.url).send("/sign-in", { email, password: testPassword }, headers);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining("was not sent by a page of this service")]);
  });

  test("a form of an older browser, which sends its origin only, is taken", async () => {
    const { origin } = new URL(service.url);
    const page = await createVisitor(service.url).send(
      "/sign-in",
      { email: "a@example.com", password: "wrong" },
      { origin },
    );
    expect(page.status).toBe(401);
  });

  test("after signing in, no other site opens", async () => {
    await signedIn(service, "next@example.com");
    for (const next of ["//evil.example", "/\\evil.example", "https://evil.example"]) {
      const visitor = createVisitor(service.url);
      const page = await visitor.send(`/sign-in?next=${encodeURIComponent(next)}`, {
        email: "next@example.com",
        password: testPassword,
      });
      expect(page.path).not.toContain("evil");
    }
  });

  test("an invitation joins an account that exists with its password, and with no other", async () => {
    await signedIn(service, "invited@example.com");
    const { token } = await createInvite(service.store, service.project, { role: "member", actor: "operator" });
    const visitor = createVisitor(service.url);
    const wrong = await visitor.send(`/link/${token}`, { email: "invited@example.com", password: "another password" });
    expect(wrong.status).toBe(401);
    const joined = await visitor.send(`/link/${token}`, { email: "invited@example.com", password: testPassword });
    expect(joined).toMatchObject({ status: 200, path: `/p/${service.project.name}` });
  });

  test("an owner link takes over no account: it joins one that exists with its password", async () => {
    const victim = await signedIn(service, "victim@example.com");
    const { token } = await createOwnerLink(service.store, service.project);
    const attacker = createVisitor(service.url);
    const wrong = await attacker.send(`/link/${token}`, { email: "victim@example.com", password: "a new password" });
    expect([wrong.status, wrong.text]).toEqual([401, expect.stringContaining("the password is wrong")]);
    expect((await attacker.open("/")).path).toMatch(/^\/sign-in/);
    expect((await victim.open("/")).path).toBe(`/p/${service.project.name}`);
    const right = await attacker.send(`/link/${token}`, { email: "victim@example.com", password: testPassword });
    expect(right).toMatchObject({ status: 200, path: `/p/${service.project.name}` });
  });

  test("a link takes few attempts a minute, each of which costs a hash", async () => {
    const { token } = await createInvite(service.store, service.project, { role: "member", actor: "operator" });
    await signedIn(service, "taken@example.com");
    const attempts = Array.from({ length: 12 }, async () => {
      const fields = { email: "taken@example.com", password: "another password" };
      return (await createVisitor(service.url).send(`/link/${token}`, fields)).status;
    });
    expect(await Promise.all(attempts)).toContain(429);
  });

  test("every page has strict headers", async () => {
    const { headers } = await createVisitor(service.url).open("/sign-in");
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-security-policy":
        "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; frame-ancestors 'none'; " +
        "base-uri 'none'; connect-src 'self'; img-src 'self'",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
  });

  test("over http from another computer, the page says that signing in cannot work", async () => {
    await using open = await startService(await engine.createDatabase(), { trustedProxies: ["127.0.0.1"] });
    const visitor = createVisitor(open.url);
    const warned = await visitor.open("/sign-in", { "x-forwarded-host": "citewell.example" });
    expect(warned.text).toContain("Browsers do not store sign-ins over http");
    const secure = await visitor.open("/sign-in", {
      "x-forwarded-host": "citewell.example",
      "x-forwarded-proto": "https",
    });
    expect(secure.text).not.toContain("Browsers do not store sign-ins over http");
    const unproxied = await createVisitor(service.url).open("/sign-in", { "x-forwarded-host": "citewell.example" });
    expect(unproxied.text).not.toContain("Browsers do not store sign-ins over http");
  });

  test("of 20 wrong passwords from 20 addresses, 10 are tried, and until later the right one is refused as well", async () => {
    await using proxied = await startService(await engine.createDatabase(), { trustedProxies: ["127.0.0.1"] });
    const owner = await signedIn(proxied, email);
    // All at once: slow machines do not change how many are counted before the limit.
    const attempts = Array.from({ length: 20 }, async (_, index) => {
      const headers = { "sec-fetch-site": "same-origin", "x-forwarded-for": `203.0.113.${index}` };
      return (await createVisitor(proxied.url).send("/sign-in", { email, password: "wrong" }, headers)).status;
    });
    const statuses = await Promise.all(attempts);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    await proxied.store.query("update rate set tat = extract(epoch from clock_timestamp()) + 60");
    const right = await createVisitor(proxied.url).send("/sign-in", { email, password: testPassword });
    expect([right.status, right.text]).toEqual([429, expect.stringMatching(/maybe by somebody else\. Try again in/)]);
    expect(right.text).toMatch(/too many attempts\?\s+The operator can run <code>citewell hosted password-link/);
    // The owner has other ways in.
    const home = { status: 200, path: `/p/${proxied.project.name}` };
    expect(await owner.open("/")).toMatchObject(home);
    const { token } = await createPasswordLink(proxied.store, email);
    const password = "a password that is new";
    expect(await createVisitor(proxied.url).send(`/password/${token}`, { password })).toMatchObject(home);
  });

  test("from one address, many accounts cannot be tried", async () => {
    await using other = await startService(await engine.createDatabase());
    const visitor = createVisitor(other.url);
    const attempts = Array.from({ length: 25 }, async (_, index) => {
      return (await visitor.send("/sign-in", { email: `user${index}@example.com`, password: "wrong" })).status;
    });
    expect(await Promise.all(attempts)).toContain(429);
  });

  test("the addresses of one IPv6 network count as one", async () => {
    await using other = await startService(await engine.createDatabase(), { trustedProxies: ["127.0.0.1"] });
    const attempts = Array.from({ length: 25 }, async (_, index) => {
      const headers = { "sec-fetch-site": "same-origin", "x-forwarded-for": `2001:db8:1:2::${index.toString(16)}` };
      const fields = { email: `user${index}@example.com`, password: "wrong" };
      return (await createVisitor(other.url).send("/sign-in", fields, headers)).status;
    });
    expect(await Promise.all(attempts)).toContain(429);
    const { rows } = await other.store.query("select key from rate where key like 'sign-in:address:%'");
    expect(rows).toEqual([{ key: "sign-in:address:2001:db8:1:2::/64" }]);
  });
});
