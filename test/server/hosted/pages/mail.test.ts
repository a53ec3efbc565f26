import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { createPasswordLink } from "../../../../server/hosted/tenants/password-links.ts";
import { createSignInLink } from "../../../../server/hosted/tenants/sign-in-links.ts";
import { createLog } from "../../../../server/lib/log.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { type MailServer, startMailServer } from "../../../support/mail-server.ts";
import { testEngines } from "../../../support/stores.ts";
import { createVisitor, signedIn, testPassword } from "../../../support/visitor.ts";

describe.each(testEngines())("mail on $name", (engine) => {
  let mails: MailServer;
  let service: TestService;
  let logged = "";
  const log = createLog("debug", (line) => {
    logged += line;
  });
  const start = async (url = mails.url) =>
    startService(await engine.createDatabase(), {
      mail: { url, from: "Citewell <citewell@example.com>" },
      env: { NODE_EXTRA_CA_CERTS: mails.caFile },
      log,
    });
  beforeAll(async () => {
    mails = await startMailServer();
    service = await start();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await mails[Symbol.asyncDispose]();
  });
  /** The path of a link in a mail, which begins with the service's own address. */
  const pathOf = (link: string) => {
    const { origin, pathname, search } = new URL(link);
    expect(origin).toBe(new URL(service.url).origin);
    return pathname + search;
  };
  const audited = async (action: string) =>
    (await listAudit(service.store, service.project.id)).filter((entry) => entry.action === action).length;

  test("a link by mail signs in by its button, once, and opens the page that was asked for", async () => {
    await signedIn(service, "ada@example.com");
    const visitor = createVisitor(service.url);
    const asked = await visitor.open(`/p/${service.project.name}/keys`);
    expect(asked.text).toContain("Send me a link");
    const query = asked.path.slice(asked.path.indexOf("?"));
    const sent = await visitor.send(`/sign-in/mail${query}`, { email: " Ada@example.com" });
    expect([sent.status, sent.text]).toEqual([200, expect.stringContaining("If ada@example.com has an account")]);
    const mail = await mails.next();
    expect(mail).toMatchObject({ to: ["ada@example.com"], headers: expect.stringMatching(/^Auto-Submitted: /m) });
    expect(mail.headers).toContain("From: Citewell <citewell@example.com>");
    const path = pathOf(mail.link);
    const token = /link\/([\w-]+)/.exec(path)?.[1] ?? "";
    const { rows } = await service.store.query("select * from sign_in_link");
    expect(JSON.stringify(rows.map((row) => Object.values(row).map(String)))).not.toContain(token);
    for (const _scanner of [1, 2]) {
      const page = await createVisitor(service.url).open(path);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining("Sign in as ada@example.com")]);
      expect(page.headers.get("set-cookie")).toBeNull();
    }
    expect(await visitor.send(path)).toMatchObject({ status: 200, path: `/p/${service.project.name}/keys` });
    for (const again of [await createVisitor(service.url).open(path), await createVisitor(service.url).send(path)]) {
      expect([again.status, again.text]).toEqual([404, expect.stringContaining("has expired or was already used")]);
    }
  });

  test("an address without an account gets the same answer and no mail", async () => {
    await signedIn(service, "known@example.com");
    const answers = [];
    for (const email of ["unknown@example.com", "known@example.com"]) {
      const { status, text } = await createVisitor(service.url).send("/sign-in/mail", { email });
      answers.push({ status, text: text.replaceAll(email, "") });
    }
    expect(answers[1]).toEqual(answers[0]);
    expect((await mails.next()).to).toEqual(["known@example.com"]);
  });

  test("links begin with the public address, whatever host the request names", async () => {
    await signedIn(service, "host@example.com");
    const response = await fetch(new URL("/sign-in/mail", service.url), {
      method: "POST",
      body: new URLSearchParams({ email: "host@example.com" }),
      headers: { "sec-fetch-site": "same-origin", "x-forwarded-host": "evil.example", host: "evil.example" },
    });
    expect(response.status).toBe(200);
    pathOf((await mails.next()).link);
  });

  test("the first link proves the address: what others set up with it ends", async () => {
    const squatter = await signedIn(service, "grace@example.com");
    const link = async () => {
      const token = await createSignInLink(service.store, "grace@example.com");
      return `/sign-in/link/${token}`;
    };
    const [path, spare] = [await link(), await link()];
    const { token: old } = await createPasswordLink(service.store, "grace@example.com");
    const grace = createVisitor(service.url);
    expect((await grace.open(path)).text).toContain("proves for the first time");
    const before = await audited("address.proved");
    expect((await grace.send(path)).status).toBe(200);
    expect(await audited("address.proved")).toBe(before + 1);
    expect((await squatter.open("/")).path).toBe("/sign-in?next=%2F");
    const password = { email: "grace@example.com", password: testPassword };
    expect((await createVisitor(service.url).send("/sign-in", password)).status).toBe(401);
    expect((await createVisitor(service.url).open(spare)).status).toBe(404);
    expect((await createVisitor(service.url).open(`/password/${old}`)).status).toBe(404);
    // The account page sets another one, which the next link leaves alone.
    expect((await grace.send("/account/password")).text).toContain("was sent");
    const set = pathOf((await mails.next()).link);
    expect((await grace.send(set, { password: testPassword })).status).toBe(200);
    const next = await link();
    expect((await createVisitor(service.url).open(next)).text).not.toContain("proves for the first time");
    expect((await createVisitor(service.url).send(next)).status).toBe(200);
    expect((await createVisitor(service.url).send("/sign-in", password)).status).toBe(200);
    expect(await audited("address.proved")).toBe(before + 1);
  });

  test("of two visitors at once, one signs in; an expired link signs nobody in", async () => {
    await signedIn(service, "alan@example.com");
    const path = `/sign-in/link/${await createSignInLink(service.store, "alan@example.com")}`;
    const pages = await Promise.all([1, 2].map(() => createVisitor(service.url).send(path)));
    expect(pages.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    const late = `/sign-in/link/${await createSignInLink(service.store, "alan@example.com")}`;
    await service.store.query("update sign_in_link set expires_at = now()");
    expect((await createVisitor(service.url).open(late)).status).toBe(404);
    expect((await createVisitor(service.url).send(late)).status).toBe(404);
  });

  test("five mails an hour are sent to an address, known or not", async () => {
    for (let count = 0; count < 5; count++) {
      const { status } = await createVisitor(service.url).send("/sign-in/mail", { email: "often@example.com" });
      expect(status).toBe(200);
    }
    const refused = await createVisitor(service.url).send("/sign-in/mail", { email: "often@example.com" });
    expect([refused.status, refused.text]).toEqual([
      429,
      expect.stringMatching(/There were too many mails to this address. Try again in 1\d minutes/),
    ]);
  });

  test("an invitation is mailed, and its link joins", async () => {
    const owner = await signedIn(service, "owner@example.com");
    const path = `/p/${service.project.name}/members/invite`;
    const page = await owner.send(path, { role: "admin", email: "new@example.com" });
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringContaining("The invitation was sent to new@example.com"),
    ]);
    const mail = await mails.next();
    expect(mail).toMatchObject({
      to: ["new@example.com"],
      headers: expect.stringContaining("Subject: owner@example.com invites you"),
      text: expect.stringContaining(`an admin of the project ${service.project.name}`),
    });
    expect(page.text).not.toContain(new URL(mail.link).pathname);
    const guest = createVisitor(service.url);
    const joined = await guest.send(pathOf(mail.link), { email: "new@example.com", password: testPassword });
    expect(joined).toMatchObject({ status: 200, path: `/p/${service.project.name}` });
    const shown = await owner.send(path, { role: "member", email: "" });
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining("/link/")]);
    const wrong = await owner.send(path, { role: "member", email: "new@" });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("that is not an e-mail address")]);
  });

  test("an invitation that the mail server refuses is shown instead", async () => {
    const owner = await signedIn(service, "owner@example.com");
    const page = await owner.send(`/p/${service.project.name}/members/invite`, {
      role: "member",
      email: "bounce@example.com",
    });
    expect([page.status, page.text]).toEqual([502, expect.stringContaining("The mail could not be sent.")]);
    expect(page.text).toContain("/link/");
    expect(logged).toContain("no such mailbox");
  });

  test("a mail server that refuses the password, or is away, is in the log without it", async () => {
    await using wrong = await start(mails.url.replace(/:[^:@]+@/, ":not-that-word@"));
    await using away = await start("smtps://citewell:not-that-word@localhost:1");
    for (const { url } of [wrong, away]) {
      const { status, text } = await createVisitor(url).send("/sign-in/mail", { email: "ada@example.com" });
      expect([status, text]).toEqual([502, expect.stringContaining("The mail could not be sent.")]);
    }
    expect(logged).toMatch(/mail-failed host=localhost:\d+ error=.*no login with …/);
    expect(logged).toMatch(/mail-failed host=localhost:1 error=.*ECONNREFUSED/);
    expect(logged).not.toContain("not-that-word");
    expect(logged).not.toContain(mails.password);
  });

  test("an owner switches the weekly mail on and off", async () => {
    const owner = await signedIn(service, "weekly@example.com");
    const usage = `/p/${service.project.name}/usage`;
    const on = await owner.send(`${usage}/mail`, { isOn: "yes" });
    expect([on.path, on.text]).toEqual([`${usage}?done=mail`, expect.stringContaining("Switch it off")]);
    const off = await owner.send(`${usage}/mail`, { isOn: "no" });
    expect([off.path, off.text]).toEqual([`${usage}?done=no-mail`, expect.stringContaining("Switch it on")]);
    expect(await audited("weekly-mail.changed")).toBe(2);
  });

  test("without a mail server, the pages offer no mail", async () => {
    await using plain = await startService(await engine.createDatabase());
    const owner = await signedIn(plain);
    expect((await owner.open(`/p/${plain.project.name}/usage`)).text).not.toContain("Weekly mail");
    expect((await createVisitor(plain.url).open("/sign-in")).text).not.toContain("Send me a link");
    expect((await createVisitor(plain.url).send("/sign-in/mail", { email: "ada@example.com" })).status).toBe(404);
  });
});
