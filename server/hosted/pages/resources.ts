import { type Response, Router } from "express";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import type { ErrorTag } from "../../protocol/error-tags.ts";
import { AddResource, FetchState, type HostedResource, type UnreadableResource } from "../../protocol/hosted.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import { sourceOf } from "../../protocol/kinds/kinds.ts";
import { packageReference, packageTypes } from "../../protocol/kinds/names.ts";
import { callOperation } from "../../transports/call-operation.ts";
import { retryFailed } from "../jobs/held.ts";
import { filterResources, listFetched, type ProjectCall, requestSync } from "../projects/registered.ts";
import type { Group } from "../tenants/groups.ts";
import { type Limited, listLimited } from "../tenants/resource-access.ts";
import { actionButton, emptyForm, field, fieldOf, type Form, formErrors, parseForm } from "./forms.ts";
import { type Html, html, type HtmlValue } from "./html.ts";
import { layout } from "./layout.ts";
import { pageLinks, pageRows } from "./listing.ts";
import type { PageServices } from "./pages.ts";
import { accessChoice } from "./resource-access.ts";
import { fetchSummary, sortByName, stateCells } from "./resource-states.ts";
import { noticeOf, redirect, sendHtml, sentence } from "./respond.ts";
import { table } from "./table.ts";
import { packageExamples, readTyped, TypedResource } from "./typed-resource.ts";
import type { Visitor } from "./visitors.ts";

const notices = {
  added: "The resource is added and being fetched.",
  syncing: "The newest revision is being fetched.",
  removed: "The resource is removed.",
  access: "Who may use the resource is saved.",
  retrying: "What failed is being fetched again, as far as the limits of the project allow now.",
};

/** The filter and the page of the list, from the query of the address. */
const Shown = z.object({
  q: z.string().max(200).optional().catch(undefined),
  group: z
    .string()
    .optional()
    .catch(undefined)
    .transform((group) => (group === "" ? undefined : group)),
  state: FetchState.shape.state.optional().catch(undefined),
  page: z.coerce.number().int().min(1).catch(1),
});
type Shown = z.infer<typeof Shown>;

/** The resources of a project: add, sync, remove. */
export function resourcePages({ store, visitors, callFor }: PageServices): Router {
  const router = Router();
  const listed = async (visitor: Visitor, response: Response, shown: Shown = { page: 1, group: undefined }) => {
    const call = callFor(visitor, response);
    const { project } = visitor.membership;
    const limited = await store.asProject(project.id, (queries) => listLimited(queries, project.id));
    const { q: words, group, state } = shown;
    const unreadable = await call.unreadable();
    const isUsable = (name: string) => unreadable.every((one) => one.name !== name);
    const { all, found, groups } = await filterResources({ words, group, state }, call);
    const names = [...found.keys()].filter(isUsable);
    const onPage = names.slice((shown.page - 1) * pageRows, shown.page * pageRows);
    // Only what is shown is looked up on the disk.
    const { app } = onPage.length === all.size ? call : call.narrowTo(onPage);
    const resources = await listFetched({ ...call, app });
    const fetches = [...all].filter(([name]) => isUsable(name)).map(([, fetch]) => fetch);
    return { resources, unreadable, limited, fetches, groups, shown, count: names.length };
  };

  router.get("/p/:project/resources", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const notice = noticeOf(request, notices);
    const shown = Shown.parse(request.query);
    sendHtml(
      response,
      resourcesPage({ visitor, ...(await listed(visitor, response, shown)), form: emptyForm, notice }),
    );
  });

  router.post("/p/:project/resources", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const { data: typed, form } = parseForm(TypedResource, request);
    const isLimited = typed?.access === "some";
    const call = callFor(visitor, response, { addsLimited: isLimited });
    const errors = typed === undefined ? form.errors : await addTyped(typed, call);
    if (Object.keys(errors).length > 0) {
      const page = resourcesPage({ visitor, ...(await listed(visitor, response)), form: { ...form, errors } });
      return sendHtml(response, page, 400);
    }
    return redirect(response, `/p/${visitor.membership.project.name}/resources?done=added`);
  });

  router.post("/p/:project/resources/sync", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    await requestSync(fieldOf(request, "resource"), callFor(visitor, response));
    redirect(response, `/p/${visitor.membership.project.name}/resources?done=syncing`);
  });

  router.post("/p/:project/resources/failed", async (request, response) => {
    const { membership } = await visitors.requireMember(request, "admin");
    await retryFailed(store, membership.project.id);
    redirect(response, `/p/${membership.project.name}/resources?done=retrying`);
  });

  router.post("/p/:project/resources/remove", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const { app, signal } = callFor(visitor, response);
    await app.removeResource({ name: fieldOf(request, "resource") }, { signal });
    redirect(response, `/p/${visitor.membership.project.name}/resources?done=removed`);
  });

  return router;
}

/** The fields of a resource in the form. */
const typedField: Readonly<Record<string, string>> = {
  url: "source",
  package: "source",
  branch: "branchOrVersion",
  version: "branchOrVersion",
};

/** Adds what was typed; returns what is wrong with it by field. */
async function addTyped(typed: TypedResource, { app, signal }: ProjectCall): Promise<Form["errors"]> {
  const read = readTyped(typed);
  if ("fault" in read) return { source: read.fault };
  const { error } = AddResource.safeParse(read.spec);
  if (error !== undefined) {
    const faults = error.issues.map(({ path: [name], message }) => [fieldNamed(String(name)), message]);
    return Object.fromEntries(faults.toReversed());
  }
  try {
    // As it is: the parsed form has the defaults of the other types, which are refused.
    await callOperation(app, "addResource", { ...read.spec }, { signal });
    return {};
  } catch (failure) {
    return addFailure(failure);
  }
}

function fieldNamed(name: string): string {
  return typedField[name] ?? name;
}

/** Errors that the form shows. */
const formTags: ReadonlySet<ErrorTag> = new Set(["InvalidRequest", "AddressNotAllowed", "ResourceNotOffered"]);

/** The error of the field that it is about. @throws any error that is not about the fields */
function addFailure(error: unknown): Record<string, string> {
  if (!(error instanceof CitewellError)) throw error;
  const { tag, message, hint } = error;
  if (tag === "ResourceNameTaken") return { name: message };
  if (!formTags.has(tag)) throw error;
  const [, name, fault] = /^(name|url|package|branch|version): (.+)$/.exec(message) ?? [];
  if (name !== undefined && fault !== undefined) return { [fieldNamed(name)]: fault };
  return { "": hint === undefined ? sentence(message) : `${sentence(message)} ${sentence(hint)}` };
}

interface ResourcesPageOptions {
  visitor: Visitor;
  /** Those of the page that is shown. */
  resources: readonly HostedResource[];
  /** How many the filter leaves on all pages. */
  count: number;
  /** Of all resources. */
  fetches: readonly FetchState[];
  groups: readonly Group[];
  shown: Shown;
  unreadable: readonly UnreadableResource[];
  /** The limited ones, with the members who may use them. */
  limited: ReadonlyMap<string, Limited>;
  form: Form;
  notice?: string | undefined;
}

function resourcesPage({
  visitor: { account, membership },
  resources,
  count,
  fetches,
  groups,
  shown,
  unreadable,
  limited,
  form,
  notice,
}: ResourcesPageOptions): Html {
  const base = `/p/${membership.project.name}`;
  const path = `${base}/resources`;
  const isAdmin = membership.role !== "member";
  const { q, group, state } = shown;
  const isFiltered = [q, group, state].some((one) => one !== undefined && one !== "");
  const isSearched = isFiltered || fetches.length > pageRows || groups.length > 0;
  const isLast = shown.page * pageRows >= count;
  const main = html`<h1>Resources</h1>
    <p>The repositories and packages that questions of this project are about.</p>
    ${
      isAdmin &&
      html`<p>
        ${fetches.length > 0 && html`<a href="#add">Add a repository or a package</a> · `}<a href="${base}/followed"
          >Follow an organization</a
        >
        · <a href="${base}/groups">Groups</a>
      </p>`
    }
    ${fetchSummary(fetches)}
    ${
      isAdmin &&
      fetches.filter(({ state }) => state === "failed").length > 1 &&
      actionButton({ action: `${path}/failed`, label: "Fetch all that failed" })
    }
    ${isSearched && searchForm({ shown, groups, path, count, total: fetches.length })}
    ${table({
      caption: "Resources of this project",
      columns: ["Name", "Source", "State", "Revision", "Fetched", ...(isAdmin ? ["Actions"] : [])],
      rows: [
        ...sortByName(resources).map((resource) => [
          ...resourceRow(resource, isAdmin ? limited.get(resource.name) : undefined),
          ...(isAdmin ? [resourceActions(resource, base)] : []),
        ]),
        ...(isFiltered || !isLast ? [] : sortByName(unreadable)).map((resource) => [
          ...unreadableRow(resource),
          ...(isAdmin ? [html`<div class="actions">${removeButton(resource.name, base)}</div>`] : []),
        ]),
      ],
      empty: isFiltered ? "No resource is like that." : "There are no resources yet.",
      ...(isSearched ? {} : { filter: { list: "resources", label: "Filter the resources" } }),
    })}
    ${resourceLinks(shown, { path, count })} ${isAdmin && addForm(form, path)}`;
  return layout({ title: "Resources", main, account, membership, current: path, notice, script: "resources.js" });
}

const stateLabels: Readonly<Record<FetchState["state"], string>> = {
  ready: "fetched",
  running: "being fetched",
  waiting: "waiting",
  failed: "failed",
};

/** Finds resources without script. */
function searchForm({
  shown: { q, group, state },
  groups,
  path,
  count,
  total,
}: {
  shown: Shown;
  groups: readonly Group[];
  path: string;
  count: number;
  total: number;
}): Html {
  const option = (value: string, label: string, chosen: string | undefined) =>
    html`<option value="${value}" ${value === chosen && html` selected`}>${label}</option>`;
  return html`<form method="get" action="${path}" class="filter" role="search">
    <label for="q">Name or address</label>
    <input type="search" id="q" name="q" value="${q ?? ""}" autocomplete="off" />
    ${
      groups.length > 0 &&
      html`<label for="group">Group</label>
        <select id="group" name="group">
          ${option("", "all", group)} ${groups.map(({ name }) => option(name, `@${name}`, group))}
        </select>`
    }
    <label for="state">State</label>
    <select id="state" name="state">
      ${option("", "all", state)} ${FetchState.shape.state.options.map((one) => option(one, stateLabels[one], state))}
    </select>
    <button class="quiet">Search</button>
    <span class="muted" role="status">${count} of ${total}</span>
  </form>`;
}

function resourceLinks({ page, ...fields }: Shown, { path, count }: { path: string; count: number }): Html | undefined {
  const pages = Math.ceil(count / pageRows);
  return pageLinks({ path, fields, page, hasNext: page < pages, pages });
}

/** @param limited if it is */
function resourceRow(resource: HostedResource, limited: Limited | undefined): HtmlValue[] {
  return [
    html`<span class="long">${resource.name}</span
      >${limited !== undefined && html`<p class="hint">${accessWords(limited)}</p>`}`,
    html`<span class="long">${describeSource(resource)}</span>`,
    ...stateCells(resource),
  ];
}

function accessWords({ accounts: { length }, isOfHost }: Limited): string {
  const who =
    length === 0 ? "only owners and admins" : `owners, admins and ${length === 1 ? "1 member" : `${length} members`}`;
  return isOfHost ? `${who}, as its git host says` : who;
}

/** A package as it is added: `go:github.com/spf13/cobra@v1.8.0`. */
function describeSource(resource: HostedResource): string {
  const { type, version } = resource;
  const source = sourceOf(resource);
  const packageType = packageTypes.find((one) => one === type);
  return packageType === undefined ? `${type} ${source}` : packageReference(packageType, source, version ?? undefined);
}

/** Only its name and type are known. */
function unreadableRow({ name, type, reason }: UnreadableResource): HtmlValue[] {
  const cannot = html`<span class="bad long">cannot be used: ${showInvisibleInLine(reason)}</span>`;
  return [html`<span class="long">${name}</span>`, showInvisibleInLine(type), cannot, "", ""];
}

const removalWarning = "Questions are no longer about it, and keys and citations can no longer open it.";

/** @param base the path of the project */
function resourceActions({ name: resource, fetch: { needsToken } }: HostedResource, base: string): Html {
  const fields = { resource };
  return html`<div class="actions">
    ${actionButton({ action: `${base}/resources/sync`, label: "Sync", of: resource, fields })}
    <a href="${base}/resources/access?resource=${encodeURIComponent(resource)}" aria-label="Access to ${resource}"
      >Access</a
    >
    ${removeButton(resource, base)}
    ${
      needsToken !== null &&
      html`<a href="${base}/tokens?host=${encodeURIComponent(needsToken)}">Add a token for ${needsToken}</a>`
    }
  </div>`;
}

function removeButton(resource: string, base: string): Html {
  const action = `${base}/resources/remove`;
  return actionButton({ action, label: "Remove", of: resource, fields: { resource }, warning: removalWarning });
}

function addForm(form: Form, path: string): Html {
  return html`<h2 id="add">Add a repository or a package</h2>
    <form method="post" action="${path}" class="card">
      ${formErrors(form)}
      ${field(form, {
        name: "source",
        label: "Address or package",
        hint: `https://… of a git repository, or a package: ${packageExamples.join(", ")}. A private repository needs a token for its host.`,
      })}
      ${field(form, {
        name: "name",
        label: "Name",
        isOptional: true,
        hint: "The name that people and agents use. Default: the last part of the address, or the package.",
      })}
      ${field(form, {
        name: "branchOrVersion",
        label: "Branch or version",
        isOptional: true,
        hint: "Default: the branch main, or the latest version.",
      })}
      <fieldset>
        <legend>Who may use it</legend>
        ${accessChoice("all", "All members", form.values["access"] !== "some")}
        ${accessChoice("some", "Only owners and admins, and members that are chosen afterwards", form.values["access"] === "some")}
      </fieldset>
      <button>Add</button>
    </form>`;
}
