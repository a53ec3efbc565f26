import * as z from "zod";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import type { Project } from "../../protocol/hosted.ts";
import { startPolling } from "../jobs/polling.ts";
import type { Mailer } from "../mail/mailer.ts";
import { firstRow } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { recordAudit } from "../tenants/audit.ts";
import { listMembers } from "../tenants/members.ts";
import { readWeeklyReport, weeklyMail } from "./weekly-report.ts";

/** Monday morning: the week before is over everywhere but in the westernmost places. */
const nextMonday = "(date_trunc('week', now() at time zone 'UTC') + interval '7 days 7 hours') at time zone 'UTC'";
const checkMs = 300_000;

/** Whether the owners of a project get the mail. */
export async function hasWeeklyMail({ query }: Pick<Queries, "query">, project: string): Promise<boolean> {
  return (await query("select from weekly_mail where project = $1", [project])).count > 0;
}

/** Switches the mail to a project's owners on or off. The first one is about the week that runs. */
export async function setWeeklyMail(
  store: Store,
  { id }: Pick<Project, "id">,
  { isOn, actor }: { isOn: boolean; actor: string },
): Promise<void> {
  const sql = isOn
    ? `insert into weekly_mail (project, due_at) values ($1, ${nextMonday}) on conflict do nothing`
    : "delete from weekly_mail where project = $1";
  const { count } = await store.query(sql, [id]);
  if (count === 0) return;
  await store.asProject(id, (queries) =>
    recordAudit(queries, id, { actor, action: "weekly-mail.changed", target: "owners", detail: { isOn } }),
  );
}

/** What the mails need. */
export interface WeeklyMailOptions {
  store: Store;
  mailer: Mailer;
  /** The origin of the links. */
  ownOrigin(): string;
  log: Log;
}

/** Sends the mails that are due, until it is disposed of. Several processes may do so: each mail is sent by one. */
export function startWeeklyMails(options: WeeklyMailOptions): Promise<AsyncDisposable> {
  const { store, log } = options;
  return startPolling(({ signal }) => sendDue(options, signal), {
    store,
    pauseMs: checkMs,
    onFailure: (error) => log.warn("weekly-mails-not-sent", { error: messageOf(error) }),
  });
}

/** Sends all mails that are due. */
export async function sendDue(
  { store, mailer, ownOrigin }: Omit<WeeklyMailOptions, "log">,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    const project = signal?.aborted === true ? undefined : await claimDue(store);
    if (project === undefined) return;
    const report = await readWeeklyReport(store, project);
    if (report === undefined) continue;
    const owners = (await listMembers(store, { id: project })).filter(({ role }) => role === "owner");
    const usageUrl = new URL(`/p/${report.project.name}/usage`, ownOrigin()).href;
    const sent = await Promise.allSettled(
      owners.map(({ email }) => mailer.send(weeklyMail(report, { to: email, usageUrl }))),
    );
    // The mailer logs failures. If no mail was sent, the project is due again when the claim of an hour ends.
    const isDone = sent.length === 0 || sent.some(({ status }) => status === "fulfilled");
    if (isDone) await store.query(`update weekly_mail set due_at = ${nextMonday} where project = $1`, [project]);
  }
}

/** The next project whose mail is due; no other process sends it within an hour. */
async function claimDue({ query }: Pick<Queries, "query">): Promise<string | undefined> {
  const result = await query(
    `update weekly_mail set due_at = now() + interval '1 hour' where project = (
       select project from weekly_mail where due_at <= now() order by due_at limit 1 for update skip locked)
     returning project`,
  );
  return firstRow(z.object({ project: z.string() }), result)?.project;
}
