import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Mailer, openMailer } from "../../../../server/hosted/mail/mailer.ts";
import { reserveQuestion, settleQuestion } from "../../../../server/hosted/limits/questions.ts";
import { hasWeeklyMail, sendDue, setWeeklyMail } from "../../../../server/hosted/reports/weekly-mails.ts";
import { readWeeklyReport } from "../../../../server/hosted/reports/weekly-report.ts";
import type { Store } from "../../../../server/hosted/store/store.ts";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { createKey } from "../../../../server/hosted/tenants/keys.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { createLog } from "../../../../server/lib/log.ts";
import type { Role } from "../../../../server/protocol/hosted-accounts.ts";
import { type MailServer, startMailServer } from "../../../support/mail-server.ts";
import { readFile } from "node:fs/promises";
import { joinProject } from "../../../support/add-member.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

const actor = "operator";

describe.each(testEngines())("the weekly mail on $name", (engine) => {
  let store: Store;
  let server: MailServer;
  let mailer: Mailer;
  const ownOrigin = () => "https://citewell.example";
  beforeAll(async () => {
    store = await openTestStore(engine);
    server = await startMailServer();
    const settings = { url: server.url, from: "citewell@example.com" };
    const ca = [await readFile(server.caFile, "utf8")];
    mailer = await openMailer(settings, { ca, log: createLog("silent", () => {}) });
  });
  afterAll(async () => {
    await mailer[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await store.close();
  });

  /** A project with an owner, a member, a key, and questions of the last week and the week before. */
  async function team() {
    const project = await createProject(store, `p-${crypto.randomUUID().slice(0, 8)}`);
    const join = async (role: Role) => (await joinProject(store, project.id, role)).email;
    const people = { owner: await join("owner"), member: await join("member") };
    await store.query("insert into resource (project, name, spec) values ($1, 'api', '{}')", [project.id]);
    await store.query("insert into job (project, resource, attempts, failure) values ($1, 'api', 1, 'it is away')", [
      project.id,
    ]);
    const { listing } = await createKey(store, project, { name: "ci", scopes: ["ask"] });
    const ask = async (daysAgo: number, outcome: object) => {
      const { id } = await reserveQuestion(store, { project: project.id, actor: `key:${listing.id}` }, {});
      await settleQuestion(store, { id, use: { tokens: 10, costUsd: 0.5 }, outcome });
      const monday = "date_trunc('week', now() at time zone 'UTC')::date";
      for (const table of ["daily_usage", "daily_resource_usage"]) {
        await store.query(
          `update ${table} set day = ${monday} - $2::int where project = $1 and day = (now() at time zone 'UTC')::date`,
          [project.id, daysAgo],
        );
      }
    };
    await ask(8, { resources: ["api"] });
    await ask(7, { resources: ["api"], isWithoutEvidence: true });
    await ask(1, { isFailed: true });
    return { project, people };
  }
  const dueNow = (project: string) =>
    store.query("update weekly_mail set due_at = now() where project = $1", [project]);

  test("has the whole last week, Monday to Sunday, and what failed", async () => {
    const { project } = await team();
    expect(await readWeeklyReport(store, project.id)).toMatchObject({
      project: { name: project.name },
      totals: { questions: 2, tokens: 20, costUsd: 1, withoutEvidence: 1, failed: 1 },
      before: { questions: 1, withoutEvidence: 0 },
      resources: [{ resource: "api", questions: 1, withoutEvidence: 1 }],
      askers: [{ name: "key ci", questions: 2 }],
      failing: ["api"],
    });
    expect(await readWeeklyReport(store, crypto.randomUUID())).toBeUndefined();
  });

  test("goes to the owners once it is due, and again in the next week only", async () => {
    const { project, people } = await team();
    await setWeeklyMail(store, project, { isOn: true, actor });
    await sendDue({ store, mailer, ownOrigin });
    await dueNow(project.id);
    await Promise.all([sendDue({ store, mailer, ownOrigin }), sendDue({ store, mailer, ownOrigin })]);
    const mail = await server.next();
    expect(mail.to).toEqual([people.owner]);
    expect(mail.headers).toContain(`${project.name} on Citewell: 2 questions last week`);
    expect(mail.text).toContain("Questions: 2 (1 in the week before)");
    expect(mail.text).toContain("1 without evidence, 0 over 25 s, 1 failed");
    expect(mail.text).toContain("api: 1, 1 without evidence");
    expect(mail.link).toBe(`https://citewell.example/p/${project.name}/usage`);
    const due = await store.query(
      "select due_at > now() and extract(isodow from due_at at time zone 'UTC') = 1 as later from weekly_mail where project = $1",
      [project.id],
    );
    expect(due.rows).toEqual([{ later: true }]);
    await setWeeklyMail(store, project, { isOn: false, actor });
    expect(await hasWeeklyMail(store, project.id)).toBe(false);
    await setWeeklyMail(store, project, { isOn: false, actor });
    expect((await listAudit(store, project.id)).filter(({ action }) => action === "weekly-mail.changed")).toHaveLength(
      2,
    );
  });

  test("is tried again after an hour if it reached nobody", async () => {
    const { project } = await team();
    await setWeeklyMail(store, project, { isOn: true, actor });
    await dueNow(project.id);
    const failing: Pick<Mailer, "send"> = { send: () => Promise.reject(new Error("away")) };
    await sendDue({ store, mailer: { ...mailer, ...failing }, ownOrigin });
    const { rows } = await store.query(
      "select due_at > now() and due_at <= now() + interval '1 hour' as soon from weekly_mail where project = $1",
      [project.id],
    );
    expect(rows).toEqual([{ soon: true }]);
  });
});
