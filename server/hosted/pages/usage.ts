import { Router } from "express";
import * as z from "zod";
import { LimitsForm, ProjectLimits } from "../../protocol/hosted.ts";
import {
  daysOfMonth,
  firstUsedMonth,
  readClientUsage,
  readDailyUsage,
  readResourceUsage,
} from "../limits/daily-usage.ts";
import { readLimitSets, readUsage, setOwnLimits } from "../limits/project-limits.ts";
import { readReserved } from "../limits/questions.ts";
import { recordAudit } from "../tenants/audit.ts";
import { namesOf } from "../tenants/actor-names.ts";
import { hasWeeklyMail, setWeeklyMail } from "../reports/weekly-mails.ts";
import { emptyForm, fieldOf, type Form, parseForm } from "./forms.ts";
import { type Shown, shownBy, wholeList } from "./listing.ts";
import type { PageServices } from "./pages.ts";
import { noticeOf, redirect, sendHtml } from "./respond.ts";
import { formatLimit, usagePage, type UsagePageOptions } from "./usage-page.ts";
import type { Visitor } from "./visitors.ts";

const notices = {
  saved: "The limits are saved.",
  mail: "Owners get a mail each Monday, from next week on.",
  "no-mail": "Owners get no weekly mail.",
};
const Month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/);

/** Usage and limits: admins see them, owners set limits of their own. */
export function usagePages({ store, visitors, mailer }: PageServices): Router {
  const router = Router();

  async function pageOf(
    visitor: Visitor,
    { chosen, shown = wholeList, form }: { chosen?: unknown; shown?: Shown; form: Form },
  ): Promise<UsagePageOptions> {
    const { project } = visitor.membership;
    const limits = await readLimitSets(store, project.id);
    const names = await namesOf(store, project);
    const isMailed = await hasWeeklyMail(store, project.id);
    return store.asProject(project.id, async (queries) => {
      const usage = await readUsage(queries, project.id);
      const month = Month.catch(usage.month).parse(chosen);
      return {
        visitor,
        month,
        firstMonth: (await firstUsedMonth(queries, project.id)) ?? usage.month,
        days: await readDailyUsage(queries, project.id, daysOfMonth(month)),
        resources: await readResourceUsage(queries, project.id, daysOfMonth(month)),
        clients: await readClientUsage(queries, project.id, daysOfMonth(month)),
        names,
        limits,
        usage,
        reserved: await readReserved(queries, project.id),
        shown,
        weeklyMail: mailer === undefined ? undefined : isMailed,
        form,
      };
    });
  }

  router.get("/p/:project/usage", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const options = await pageOf(visitor, {
      chosen: request.query["month"],
      shown: shownBy(request),
      form: emptyForm,
    });
    sendHtml(response, usagePage({ ...options, notice: noticeOf(request, notices) }));
  });

  router.post("/p/:project/usage/limits", async (request, response) => {
    const visitor = await visitors.requireMember(request, "owner");
    const { project } = visitor.membership;
    const { operator } = await readLimitSets(store, project.id);
    const { data, form } = parseForm(LimitsForm, request);
    const errors = data === undefined ? form.errors : errorsAbove(data, operator);
    if (data === undefined || Object.keys(errors).length > 0) {
      return sendHtml(response, usagePage(await pageOf(visitor, { form: { ...form, errors } })), 400);
    }
    await setOwnLimits(store, project.id, data);
    await store.asProject(project.id, (queries) =>
      recordAudit(queries, project.id, {
        actor: `account:${visitor.account.id}`,
        action: "limits.changed",
        target: project.name,
        detail: data,
      }),
    );
    return redirect(response, `/p/${project.name}/usage?done=saved`);
  });

  router.post("/p/:project/usage/mail", async (request, response) => {
    const { account, membership } = await visitors.requireMember(request, "owner");
    const { project } = membership;
    const isOn = fieldOf(request, "isOn") === "yes";
    await setWeeklyMail(store, project, { isOn, actor: `account:${account.id}` });
    redirect(response, `/p/${project.name}/usage?done=${isOn ? "mail" : "no-mail"}`);
  });

  return router;
}

/** A limit above the operator's would change nothing. */
function errorsAbove(own: ProjectLimits, operator: ProjectLimits): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const name of ProjectLimits.keyof().options) {
    const [limit, most] = [own[name], operator[name]];
    if (limit !== null && most !== null && limit > most) {
      errors[name] = `the operator's limit is ${formatLimit(name, most)}`;
    }
  }
  return errors;
}
