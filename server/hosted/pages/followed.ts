import { type Request, type Response, Router } from "express";
import { CitewellError } from "../../errors.ts";
import type { FollowedAccount, FollowFilters, FollowPlan } from "../../protocol/followed-accounts.ts";
import { hostKindNames, hostKinds } from "../../protocol/host-kinds.ts";
import { FilterForm, PlaceForm } from "../../protocol/followed-forms.ts";
import type { ErrorTag } from "../../protocol/error-tags.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
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
import { previewFollowing, type RunServices } from "../following/run.ts";
import { retryFailed } from "../jobs/held.ts";
import { type FetchCounts, readFetchCounts } from "../jobs/states.ts";
import { actionButton, emptyForm, field, fieldOf, type Form, formErrors, parseForm } from "./forms.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { noticeOf, redirect, sendHtml, sentence } from "./respond.ts";
import { table } from "./table.ts";
import { timeOf } from "./time.ts";
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
}: PageServices & Pick<RunServices, "fetches" | "allowHosts">): Router {
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
    const { githubApp, ...rest } = services;
    const run = { ...rest, githubApp };
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

interface PageBase {
  visitor: Visitor;
  counts: ReadonlyMap<string | null, FetchCounts>;
  form: Form;
  plan?: FollowPlan | undefined;
  notice?: string | undefined;
}

function listPage({
  visitor,
  accounts,
  counts,
  form,
  plan,
  notice,
}: PageBase & { accounts: readonly FollowedAccount[] }): Html {
  const { account, membership } = visitor;
  const project = `/p/${membership.project.name}`;
  const path = `${project}/followed`;
  const kind = form.values["kind"];
  const options = hostKinds.map(
    (one) => html`<option value="${one}" ${one === kind && html` selected`}>${hostKindNames[one]}</option>`,
  );
  const main = html`<h1>Followed organizations</h1>
    <p>
      All repositories of an organization, group, workspace or person on a git host: new ones are added, those that are
      gone are removed, renamed ones keep their name here. The list is read every hour.
    </p>
    <p><a href="${project}/resources">Back to the resources</a></p>
    ${table({
      caption: "Followed accounts",
      columns: ["Account", "Group", "State", "Resources", "Actions"],
      rows: accounts.map((one) => [
        html`<a class="long" href="${path}/${one.id}">${one.host}/${one.account}</a>`,
        `@${one.group}`,
        stateOf(one),
        liveCounts(one.id, counts.get(one.id)),
        actionButton({ action: `${path}/${one.id}/run`, label: "Run now", of: `${one.host}/${one.account}` }),
      ]),
      empty: "No account is followed.",
    })}
    <h2 id="follow">Follow an account</h2>
    <form method="post" action="${path}#follow" class="card">
      ${formErrors(form)}
      <div class="field">
        <label for="kind">Kind of host</label
        ><select id="kind" name="kind">
          ${options}
        </select>
      </div>
      ${field(form, {
        name: "place",
        label: "Organization, group, workspace or person",
        hint: "As in github.com/acme or gitlab.example.com/acme/team. Private repositories need a token for the host, or a connected GitHub account.",
      })}
      ${field(form, {
        name: "group",
        label: "Name of the group",
        isOptional: true,
        hint: "For questions about all its resources: @backend. Default: the last part of the account.",
      })}
      ${filterFields(form)}
      <div class="actions">
        <button name="do" value="follow">Follow</button>
        <button name="do" value="preview" class="quiet">Show what it would add</button>
      </div>
    </form>
    ${plan !== undefined && planSection(plan, "What following it would change")}`;
  return layout({
    title: "Followed organizations",
    main,
    account,
    membership,
    current: `${project}/resources`,
    notice,
    script: "resources.js",
  });
}

function accountPage({
  visitor,
  followed,
  counts,
  form,
  plan,
  notice,
}: PageBase & { followed: FollowedAccount }): Html {
  const { account, membership } = visitor;
  const project = `/p/${membership.project.name}`;
  const path = `${project}/followed/${followed.id}`;
  const name = `${followed.host}/${followed.account}`;
  const own = counts.get(followed.id);
  const held = followed.lastRun?.held ?? [];
  const main = html`<h1>${name}</h1>
    <p>${hostKindNames[followed.kind]} · group @${followed.group} · ${stateOf(followed)}</p>
    ${liveCounts(followed.id, own)}
    <div class="actions">
      ${actionButton({ action: `${path}/run`, label: "Run now" })}
      ${
        (own?.failed ?? 0) > 0 &&
        actionButton({ action: `${path}/failed`, label: `Fetch the ${own?.failed} that failed` })
      }
      <a href="${project}/resources?group=${encodeURIComponent(followed.group)}">Its resources</a>
    </div>
    ${
      held.length > 0 &&
      html`<h2>Held removals</h2>
        <p class="doubtful">
          The host does not list ${held.length} resources any more. That is so many at once that they are kept until you
          say that they are gone: a token that lost a right looks the same.
        </p>
        <p class="long">${held.map(({ name: one }) => one).join(", ")}</p>
        ${actionButton({
          action: `${path}/removals`,
          label: `Remove these ${held.length}`,
          fields: { count: String(held.length) },
          warning: "Questions are no longer about them, and keys and citations can no longer open them.",
        })}`
    }
    <h2 id="follow">Which repositories</h2>
    <form method="post" action="${path}#follow" class="card">
      ${formErrors(form)} ${filterFields(form)}
      <div class="actions">
        <button name="do" value="follow">Save</button>
        <button name="do" value="preview" class="quiet">Show what it would change</button>
      </div>
    </form>
    ${plan !== undefined && planSection(plan, "What it would change")}
    ${plan === undefined && followed.lastRun !== null && planSection(followed.lastRun, "What the last list changed")}
    <h2>Stop following</h2>
    <div class="actions">
      ${actionButton({
        action: `${path}/stop`,
        label: "Keep the resources",
        warning: "They stay as they are, as if they were added by hand. None is added or removed any more.",
      })}
      ${actionButton({
        action: `${path}/stop`,
        label: "Remove the resources",
        fields: { resources: "remove" },
        warning: "Questions are no longer about them, and keys and citations can no longer open them.",
      })}
    </div>
    <p><a href="${project}/followed">Back to the followed accounts</a></p>`;
  return layout({
    title: name,
    main,
    account,
    membership,
    current: `${project}/resources`,
    notice,
    script: "resources.js",
  });
}

function filterFields(form: Form): Html {
  return html`${field(form, {
    name: "include",
    label: "Only these repositories",
    isOptional: true,
    hint: "Patterns with spaces between: lib-* is a name, team/* a path below the account, team/** with all folders. Default: all.",
  })}
  ${field(form, { name: "exclude", label: "Not these repositories", isOptional: true, hint: "Patterns, as above." })}
  ${field(form, {
    name: "maxMb",
    label: "Largest repository in MB",
    isOptional: true,
    hint: "By the size that the host reports; some hosts report none.",
  })}
  ${checkbox(form, "archived", "Archived repositories, too")} ${checkbox(form, "forks", "Forks, too")}
  ${checkbox(form, "limited", "New resources are for owners and admins only, until members are chosen for them")}`;
}

function checkbox({ values }: Form, name: string, label: string): Html {
  return html`<p>
    <label><input type="checkbox" name="${name}" ${values[name] !== undefined && html` checked`} /> ${label}</label>
  </p>`;
}

function stateOf({ isRunning, listedAt, failure, failingSince, nextRunAt }: FollowedAccount): Html {
  if (isRunning) return html`being listed`;
  if (failure !== null) {
    return html`<span class="bad long"
      >failing since ${timeOf(failingSince, "")}: ${showInvisibleInLine(failure)}. Nothing was changed. Next try
      ${timeOf(nextRunAt, "")}.</span
    >`;
  }
  return listedAt === null ? html`waiting to be listed` : html`listed ${timeOf(listedAt, "")}`;
}

/** `812 of 1000 fetched, 3 failed, 185 waiting, 120 of them for the limits of the project`. */
function describeCounts(counts: FetchCounts | undefined): string {
  if (counts === undefined) return "none";
  const { total, ready, failed, pending, held } = counts;
  return [
    `${ready} of ${total} fetched`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(pending > 0 ? [`${pending} waiting`] : []),
    ...(held > 0 ? [`${held} of them for the limits of the project`] : []),
  ].join(", ");
}

/** Updated by the script while fetches wait or run. */
function liveCounts(id: string, counts: FetchCounts | undefined): Html {
  const pending = counts !== undefined && counts.pending > 0 ? counts : undefined;
  return html`<div data-live="${id}">
    <span ${pending !== undefined && html` data-pending`}>${describeCounts(counts)}</span>
    ${
      pending !== undefined &&
      html`<progress value="${pending.ready + pending.failed}" max="${pending.total}" aria-label="Fetched"></progress>`
    }
  </div>`;
}

const shownRows = 300;

function planSection({ listed, added, removed, moved, leftOut, held }: FollowPlan, title: string): Html {
  const rows = [
    ...held.map(({ name, reason }) => [name, "removal held", reason]),
    ...removed.map(({ name, reason }) => [name, "removed", reason]),
    ...moved.map(({ name, from, to }) => [name, "moved", `${from} → ${to}`]),
    ...added.map(({ name, url, branch }) => [name, "added", `${url}#${branch}`]),
    ...leftOut.map(({ repository, reason }) => [repository, "left out", reason]),
  ];
  const shown = rows
    .slice(0, shownRows)
    .map(([name = "", change = "", detail = ""]) => [
      html`<span class="long">${showInvisibleInLine(name)}</span>`,
      change,
      html`<span class="long">${showInvisibleInLine(detail)}</span>`,
    ]);
  return html`<h2>${title}</h2>
    <p role="status">
      Of ${listed} repositories: ${added.length} added, ${moved.length} moved, ${leftOut.length} left out.
      ${removed.length} resources removed, ${held.length} removals held.
    </p>
    ${rows.length > shownRows && html`<p class="hint">The first ${shownRows} of ${rows.length} rows:</p>`}
    ${table({
      caption: title,
      columns: ["Name", "Change", "Detail"],
      rows: shown,
      empty: "Nothing changes.",
    })}`;
}
