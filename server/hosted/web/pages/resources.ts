import { type Request, type Response, Router } from "express";
import { CitewellError } from "../../../errors.ts";
import { AddResource, type HostedResource } from "../../../protocol/hosted.ts";
import { sourceOf } from "../../../protocol/kinds/kinds.ts";
import { isOneOff, parseReference, suggestName } from "../../../protocol/reference.ts";
import { addResource, listFetched, sync } from "../resource-tools.ts";
import { actionButton, emptyForm, field, fieldOf, fieldsOf, type Form, formErrors, parseForm } from "./forms.ts";
import { type Html, html, type HtmlValue } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { fetchSummary, stateCells } from "./resource-states.ts";
import { noticeOf, redirect, sendHtml, sentence } from "./respond.ts";
import { table } from "./table.ts";
import type { Visitor } from "./visitors.ts";

const notices = {
  added: "The resource is added and being fetched.",
  syncing: "The newest revision is being fetched.",
  removed: "The resource is removed.",
};

/** The resources of a project: add, sync, remove. */
export function resourcePages({ visitors, callFor }: PageServices): Router {
  const router = Router();
  const listed = (visitor: Visitor, response: Response) => listFetched(callFor(visitor, response));

  router.get("/p/:project/resources", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const notice = noticeOf(request, notices);
    sendHtml(response, resourcesPage({ visitor, resources: await listed(visitor, response), form: emptyForm, notice }));
  });

  router.post("/p/:project/resources", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const given = Object.fromEntries(Object.entries(fieldsOf(request)).filter(([, value]) => value !== ""));
    const { data, form } = parseForm(AddResource, request, { name: nameFor(request), ...given });
    const refuse = async (shown: Form) =>
      sendHtml(response, resourcesPage({ visitor, resources: await listed(visitor, response), form: shown }), 400);
    if (data === undefined) return refuse(form);
    try {
      await addResource(data, callFor(visitor, response));
    } catch (error) {
      return refuse({ ...form, errors: addFailure(error) });
    }
    return redirect(response, `/p/${visitor.membership.project.name}/resources?done=added`);
  });

  router.post("/p/:project/resources/sync", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    await sync({ resource: fieldOf(request, "resource") }, callFor(visitor, response));
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

/** From the address or the package, as `citewell add` does. */
function nameFor(request: Request): string | undefined {
  const isNpm = fieldOf(request, "type") === "npm";
  const reference = parseReference(isNpm ? `npm:${fieldOf(request, "package")}` : fieldOf(request, "url"));
  return isOneOff(reference) ? suggestName(reference) : undefined;
}

/** The error of the field that it is about. @throws any error that is not about the fields */
function addFailure(error: unknown): Record<string, string> {
  if (!(error instanceof CitewellError)) throw error;
  const { tag, message, hint } = error;
  if (tag === "ResourceNameTaken") return { name: message };
  if (tag !== "InvalidRequest" && tag !== "AddressNotAllowed") throw error;
  const [, name, fault] = /^(name|url|package|branch|version): (.+)$/.exec(message) ?? [];
  if (name !== undefined && fault !== undefined) return { [name]: fault };
  return { "": hint === undefined ? sentence(message) : `${sentence(message)} ${sentence(hint)}` };
}

interface ResourcesPageOptions {
  visitor: Visitor;
  resources: readonly HostedResource[];
  form: Form;
  notice?: string | undefined;
}

function resourcesPage({ visitor: { account, membership }, resources, form, notice }: ResourcesPageOptions): Html {
  const path = `/p/${membership.project.name}/resources`;
  const isAdmin = membership.role !== "member";
  const main = html`<h1>Resources</h1>
    <p>The repositories and packages that questions of this project are about.</p>
    ${fetchSummary(resources)}
    ${table({
      caption: "Resources of this project",
      columns: ["Name", "Source", "State", "Revision", "Fetched", ...(isAdmin ? ["Actions"] : [])],
      rows: resources.map((resource) => [
        ...resourceRow(resource),
        ...(isAdmin ? [resourceActions(resource, `/p/${membership.project.name}`)] : []),
      ]),
      empty: "There are no resources yet.",
    })}
    ${isAdmin && addForm(form, path)}`;
  return layout({ title: "Resources", main, account, membership, current: path, notice, script: "resources.js" });
}

function resourceRow(resource: HostedResource): HtmlValue[] {
  const { name, type } = resource;
  return [name, `${type} ${sourceOf(resource)}`, ...stateCells(resource)];
}

/** @param base the path of the project */
function resourceActions({ name: resource, fetch: { needsToken } }: HostedResource, base: string): Html {
  const fields = { resource };
  return html`<div class="actions">
    ${actionButton({ action: `${base}/resources/sync`, label: "Sync", of: resource, fields })}
    ${actionButton({ action: `${base}/resources/remove`, label: "Remove", of: resource, fields })}
    ${
      needsToken !== null &&
      html`<a href="${base}/tokens?host=${encodeURIComponent(needsToken)}">Add a token for ${needsToken}</a>`
    }
  </div>`;
}

const nameHint = "What people and agents call it. Default: the last part of what is given above.";

function addForm(form: Form, path: string): Html {
  const isNpm = form.values["type"] === "npm";
  const git = isNpm ? emptyForm : form;
  const npm = isNpm ? form : emptyForm;
  return html`<h2>Add a git repository</h2>
    <form method="post" action="${path}" class="card">
      <input type="hidden" name="type" value="git" />
      ${formErrors(git)}
      ${field(git, { name: "url", label: "Address", type: "url", hint: "https://…; a private repository needs a token for its host." })}
      ${field(git, { name: "name", id: "git-name", label: "Name", isOptional: true, hint: nameHint })}
      ${field(git, { name: "branch", label: "Branch", isOptional: true })}
      <button>Add the repository</button>
    </form>
    <h2>Add an npm package</h2>
    <form method="post" action="${path}" class="card">
      <input type="hidden" name="type" value="npm" />
      ${formErrors(npm)} ${field(npm, { name: "package", label: "Package" })}
      ${field(npm, { name: "name", id: "npm-name", label: "Name", isOptional: true, hint: nameHint })}
      ${field(npm, { name: "version", label: "Version", isOptional: true })}
      <button>Add the package</button>
    </form>`;
}
