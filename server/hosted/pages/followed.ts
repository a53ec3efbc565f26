import { type Request, type Response, Router } from "express";
import { CitewellError } from "../../errors.ts";
import type { FollowedAccount, FollowFilters, FollowPlan } from "../../protocol/followed-accounts.ts";
import { FilterForm, PlaceForm } from "../../protocol/followed-forms.ts";
import type { ErrorTag } from "../../protocol/error-tags.ts";
import { untilLeft } from "../../transports/http/response.ts";
import {
  type AccountPlace,
  changeFilters,
  followAccount,
  listFollowed,
  removeHeld,
  requestRun,
  requireFollowed,
  unfollowAccount,
} from "../following/accounts.ts";
import { previewFollowing } from "../following/run.ts";
import { retryFailed } from "../jobs/held.ts";
import { readFetchCounts } from "../jobs/states.ts";
import type { HostServices } from "../projects/open-host.ts";
import { accountPage, listPage } from "./followed-page.ts";
import { emptyForm, fieldOf, type Form, parseForm } from "./forms.ts";
import type { PageServices } from "./pages.ts";
import { noticeOf, redirect, sendHtml, sentence } from "./respond.ts";
import type { Visitor } from "./visitors.ts";

const notices = {
  followed: "The account is followed. Its repositories are being listed.",
  running: "Its repositories are being listed.",
  changed: "The filters are saved, and its repositories are being listed.",
  retrying: "What failed is being fetched again, as far as the limits of the project allow now.",
  removed: "The resources are removed.",
  stopped: "The account is not followed any more.",
};

/** The followed accounts of a project: follow, preview, filter, run, stop. For admins. */
export function followedPages({
  visitors,
  ...services
}: PageServices & Pick<HostServices, "fetches" | "allowHosts">): Router {
  const { store } = services;
  const router = Router();
  const base = ({ membership }: Visitor) => `/p/${membership.project.name}/followed`;
  const servicesFor = ({ account, membership: { project } }: Visitor) => ({
    store,
    project,
    actor: `account:${account.id}`,
  });
  const countsOf = ({ membership: { project } }: Visitor) =>
    store.asProject(project.id, (queries) => readFetchCounts(queries, project.id));
  const preview = async (
    visitor: Visitor,
    response: Response,
    place: AccountPlace & { id?: string },
  ): Promise<Attempt> => {
    const run = { ...services, githubApp: services.githubApp };
    const signal = untilLeft(response);
    try {
      return { plan: await previewFollowing(run, visitor.membership.project.id, place, { signal }) };
    } catch (error) {
      return { errors: shownErrors(error) };
    }
  };

  router.get("/p/:project/followed", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const accounts = await listFollowed(store, visitor.membership.project);
    const notice = noticeOf(request, notices);
    sendHtml(response, listPage({ visitor, accounts, counts: await countsOf(visitor), form: emptyForm, notice }));
  });

  router.post("/p/:project/followed", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const place = parseForm(PlaceForm, request);
    const filters = parseForm(FilterForm, request);
    const form: Form = { values: place.form.values, errors: { ...filters.form.errors, ...place.form.errors } };
    const show = async ({ plan, errors = {} }: Attempt, status: number) => {
      const accounts = await listFollowed(store, visitor.membership.project);
      const counts = await countsOf(visitor);
      const shown = { ...form, errors: { ...form.errors, ...errors } };
      sendHtml(response, listPage({ visitor, accounts, counts, form: shown, plan }), status);
    };
    if (place.data === undefined || filters.data === undefined) return show({}, 400);
    const wanted = { ...place.data, filters: filters.data };
    if (isPreview(request)) {
      const attempt = await preview(visitor, response, wanted);
      return show(attempt, attempt.plan === undefined ? 400 : 200);
    }
    try {
      await followAccount(servicesFor(visitor), { ...wanted, addsLimited: fieldOf(request, "limited") !== "" });
    } catch (error) {
      return show({ errors: shownErrors(error) }, 400);
    }
    return redirect(response, `${base(visitor)}?done=followed`);
  });

  const read = async (visitor: Visitor, id: string): Promise<FollowedAccount> => {
    const { project } = visitor.membership;
    return store.asProject(project.id, (queries) => requireFollowed(queries, project.id, id));
  };

  router.get("/p/:project/followed/:id", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const account = await read(visitor, request.params.id);
    const notice = noticeOf(request, notices);
    const form = { ...emptyForm, values: valuesOfFilters(account.filters, account.addsLimited) };
    sendHtml(response, accountPage({ visitor, followed: account, counts: await countsOf(visitor), form, notice }));
  });

  router.post("/p/:project/followed/:id", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const followed = await read(visitor, request.params.id);
    const { data: filters, form } = parseForm(FilterForm, request);
    const show = async ({ plan, errors = {} }: Attempt, status: number) => {
      const shown = { ...form, errors: { ...form.errors, ...errors } };
      sendHtml(
        response,
        accountPage({ visitor, followed, counts: await countsOf(visitor), form: shown, plan }),
        status,
      );
    };
    if (filters === undefined) return show({}, 400);
    const { id, kind, host, account } = followed;
    if (isPreview(request)) {
      const attempt = await preview(visitor, response, { id, kind, host, account, filters });
      return show(attempt, attempt.plan === undefined ? 400 : 200);
    }
    const addsLimited = fieldOf(request, "limited") !== "";
    await changeFilters(servicesFor(visitor), { id, filters, addsLimited });
    return redirect(response, `${base(visitor)}/${id}?done=changed`);
  });

  router.post("/p/:project/followed/:id/run", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    await requestRun(store, visitor.membership.project, request.params.id);
    redirect(response, `${base(visitor)}/${request.params.id}?done=running`);
  });

  router.post("/p/:project/followed/:id/failed", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const { id } = await read(visitor, request.params.id);
    await retryFailed(store, visitor.membership.project.id, { followed: id });
    redirect(response, `${base(visitor)}/${id}?done=retrying`);
  });

  router.post("/p/:project/followed/:id/removals", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const { id } = request.params;
    await removeHeld(servicesFor(visitor), { id, count: Number(fieldOf(request, "count")) });
    redirect(response, `${base(visitor)}/${id}?done=removed`);
  });

  router.post("/p/:project/followed/:id/stop", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const removesResources = fieldOf(request, "resources") === "remove";
    await unfollowAccount(servicesFor(visitor), { id: request.params.id, removesResources });
    redirect(response, `${base(visitor)}?done=stopped`);
  });

  return router;
}

/** What came of a form: a plan, or errors. */
interface Attempt {
  plan?: FollowPlan;
  errors?: Form["errors"];
}

function isPreview(request: Request): boolean {
  return fieldOf(request, "do") === "preview";
}

/** Errors of a host or of a choice, which the form shows. */
const shownTags: ReadonlySet<ErrorTag> = new Set([
  "AccountNotFound",
  "AddressNotAllowed",
  "AlreadyExists",
  "RepositoryFailed",
  "RepositoryTimeout",
  "SecretsKeyInvalid",
]);

function shownErrors(error: unknown): Form["errors"] {
  if (!(error instanceof CitewellError) || !shownTags.has(error.tag)) throw error;
  const { message, hint } = error;
  return { "": hint === undefined ? sentence(message) : `${sentence(message)} ${sentence(hint)}` };
}

function valuesOfFilters(filters: FollowFilters, addsLimited: boolean): Form["values"] {
  const { include, exclude, includesArchived, includesForks, maxMb } = filters;
  return {
    include: include.join(" "),
    exclude: exclude.join(" "),
    maxMb: maxMb === null ? "" : String(maxMb),
    ...(includesArchived ? { archived: "on" } : {}),
    ...(includesForks ? { forks: "on" } : {}),
    ...(addsLimited ? { limited: "on" } : {}),
  };
}
