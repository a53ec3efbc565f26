import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { listMembers } from "../../../../server/hosted/tenants/members.ts";
import { createPasswordLink } from "../../../../server/hosted/tenants/password-links.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";
import { createVisitor, signedIn, testPassword } from "../../../support/visitor.ts";

describe.each(testEngines())("a link for a new password on $name", (engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(await engine.createDatabase());
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test("sets the password, once, ends the sessions and changes no role", async () => {
    const email = "lost@example.com";
    const before = await signedIn(service, email);
    await service.store.query("update member set role = 'member'");
    const { token } = await createPasswordLink(service.store, email);
    const spare = await createPasswordLink(service.store, email);
    const visitor = createVisitor(service.url);
    expect((await visitor.open(`/password/${token}`)).text).toContain(`This sets the password of ${email}`);
    const short = await visitor.send(`/password/${token}`, { password: "short" });
    expect([short.status, short.text]).toEqual([400, expect.stringContaining("a password needs at least 12")]);
    const password = "a password that is new";
    const home = { status: 200, path: `/p/${service.project.name}` };
    expect(await visitor.send(`/password/${token}`, { password })).toMatchObject(home);
    expect((await before.open("/")).path).toMatch(/^\/sign-in/);
    for (const used of [token, spare.token]) expect((await visitor.open(`/password/${used}`)).status).toBe(404);
    const again = createVisitor(service.url);
    expect((await again.send("/sign-in", { email, password: testPassword })).status).toBe(401);
    expect(await again.send("/sign-in", { email, password })).toMatchObject(home);
    expect(await listMembers(service.store, service.project)).toMatchObject([{ email, role: "member" }]);
    const actions = (await listAudit(service.store, service.project.id)).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(["password-link.created", "password.changed"]));
  });

  test("of two visitors at once, one sets it", async () => {
    await signedIn(service, "twice@example.com");
    const { token } = await createPasswordLink(service.store, "twice@example.com");
    const statuses = await Promise.all(
      ["the first password", "the second password"].map(
        async (password) => (await createVisitor(service.url).send(`/password/${token}`, { password })).status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200, 404]));
  });

  test("an unknown address is an error", async () => {
    await expect(createPasswordLink(service.store, "none@example.com")).rejects.toMatchObject({
      tag: "AccountNotFound",
      message: 'no account with the e-mail address "none@example.com"',
    });
  });
});
