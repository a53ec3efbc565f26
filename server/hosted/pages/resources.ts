import { type Response, Router } from "express";
import { CitewellError } from "../../errors.ts";
import type { ErrorTag } from "../../protocol/error-tags.ts";
import { AddResource, type HostedResource, type UnreadableResource } from "../../protocol/hosted.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import { sourceOf } from "../../protocol/kinds/kinds.ts";
import { packageReference, packageTypes } from "../../protocol/kinds/names.ts";
import { callOperation } from "../../transports/call-operation.ts";
import { listFetched, type ProjectCall, requestSync } from "../projects/registered.ts";
import { type Limited, listLimited } from "../tenants/resource-access.ts";
import { actionButton, emptyForm, field, fieldOf, type Form, formErrors, parseForm } from "./forms.ts";
import { type Html, html, type HtmlValue } from "./html.ts";
import { layout } from "./layout.ts";
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
};

/** The resources of a project: add, sync, remove. */
export function resourcePages({ store, visitors, callFor }: PageServices): Router {
  const router = Router();
  const listed = async (visitor: Visitor, response: Response) => {
    const call = callFor(visitor, response);
    const { project } = visitor.membership;
    const limited = await store.asProject(project.id, (queries) => listLimited(queries, project.id));
    return { resources: await listFetched(call), unreadable: await call.unreadable(), limited };
  };

  router.get("/p/:project/resources", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const notice = noticeOf(request, notices);
    sendHtml(response, resourcesPage({ visitor, ...(await listed(visitor, response)), form: emptyForm, notice }));
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
  resources: readonly HostedResource[];
  unreadable: readonly UnreadableResource[];
  /** The limited ones, with the members who may use them. */
  limited: ReadonlyMap<string, Limited>;
  form: Form;
  notice?: string | undefined;
}

function resourcesPage({
  visitor: { account, membership },
  resources,
  unreadable,
  limited,
  form,
  notice,
}: ResourcesPageOptions): Html {
  const base = `/p/${membership.project.name}`;
  const path = `${base}/resources`;
  const isAdmin = membership.role !== "member";
  const main = html`<h1>Resources</h1>
    <p>The repositories and packages that questions of this project are about.</p>
    ${isAdmin && resources.length > 0 && html`<p><a href="#add">Add a repository or a package</a></p>`}
    ${fetchSummary(resources)}
    ${table({
      caption: "Resources of this project",
      columns: ["Name", "Source", "State", "Revision", "Fetched", ...(isAdmin ? ["Actions"] : [])],
      rows: [
        ...sortByName(resources).map((resource) => [
          ...resourceRow(resource, isAdmin ? limited.get(resource.name) : undefined),
          ...(isAdmin ? [resourceActions(resource, base)] : []),
        ]),
        ...sortByName(unreadable).map((resource) => [
          ...unreadableRow(resource),
          ...(isAdmin ? [html`<div class="actions">${removeButton(resource.name, base)}</div>`] : []),
        ]),
      ],
      empty: "There are no resources yet.",
      filter: { list: "resources", label: "Filter the resources" },
    })}
    ${isAdmin && addForm(form, path)}`;
  return layout({ title: "Resources", main, account, membership, current: path, notice, script: "resources.js" });
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
  return isOfHost ? `${who}, as GitHub says` : who;
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
