import { Router } from "express";
import { type ApiKey, KeyScope, NewKeyForm, type Project } from "../../protocol/hosted.ts";
import { rotateKey } from "../tenants/key-rotation.ts";
import { createKey, listKeys, revokeKey } from "../tenants/keys.ts";
import { listResourceNames } from "../tenants/resource-names.ts";
import { actionButton, emptyForm, field, fieldsOf, type Form, formErrors, parseForm, valuesOf } from "./forms.ts";
import { filterField } from "./filter.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import { newKeyPage } from "./new-key.ts";
import type { PageServices } from "./pages.ts";
import { noticeOf, redirect, sendHtml } from "./respond.ts";
import { table } from "./table.ts";
import { timeOf } from "./time.ts";
import type { Visitor } from "./visitors.ts";

const scopeWords: Readonly<Record<KeyScope, string>> = {
  ask: "ask questions",
  read: "search and read",
  manage: "add and sync resources",
};

const notices = {
  revoked: "The key is revoked.",
  repeated:
    "The form was sent twice, and the key exists already. Its text was shown once; if it is lost, revoke the key.",
};

/** The keys of a project: create, rotate, revoke. */
export function keyPages({ store, visitors, addressFor, snippetsFor }: PageServices): Router {
  const router = Router();
  const read = async ({ id }: Pick<Project, "id">) => ({
    keys: await listKeys(store, { id }),
    names: await store.asProject(id, (queries) => listResourceNames(queries, id)),
  });

  router.get("/p/:project/keys", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const ticked = { scopes: ["ask", "read"], resources: [] };
    const notice = noticeOf(request, notices);
    const stored = await read(visitor.membership.project);
    sendHtml(response, keysPage({ visitor, ...stored, form: emptyForm, ticked, notice }));
  });

  router.post("/p/:project/keys", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const { project } = visitor.membership;
    const ticked = { scopes: valuesOf(request, "scopes"), resources: valuesOf(request, "resources") };
    const { data, form } = parseForm(NewKeyForm, request, { ...fieldsOf(request), ...ticked });
    if (data === undefined) {
      return sendHtml(response, keysPage({ visitor, ...(await read(project)), form, ticked }), 400);
    }
    // A page that is loaded again sends its form again: a second key of the same name could not be told apart.
    const isRepeated = (await listKeys(store, project)).some(({ id }) => id === data.id);
    if (isRepeated) return redirect(response, `/p/${project.name}/keys?done=repeated`);
    const created = await createKey(store, project, { ...data, actor: `account:${visitor.account.id}` });
    return sendHtml(response, newKeyPage({ visitor, address: addressFor(request), created, snippetsFor }));
  });

  router.post("/p/:project/keys/:key/rotate", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const actor = `account:${visitor.account.id}`;
    const created = await rotateKey(store, visitor.membership.project, request.params.key, { actor });
    sendHtml(response, newKeyPage({ visitor, address: addressFor(request), created, snippetsFor, isRotated: true }));
  });

  router.post("/p/:project/keys/:key/revoke", async (request, response) => {
    const { account, membership } = await visitors.requireMember(request, "admin");
    await revokeKey(store, membership.project, request.params.key, { actor: `account:${account.id}` });
    redirect(response, `/p/${membership.project.name}/keys?done=revoked`);
  });

  return router;
}

interface KeysPageOptions {
  visitor: Visitor;
  keys: readonly ApiKey[];
  /** The names of the project's resources. */
  names: readonly string[];
  form: Form;
  ticked: { scopes: readonly string[]; resources: readonly string[] };
  notice?: string | undefined;
}

function keysPage(options: KeysPageOptions): Html {
  const { keys, names, form, ticked, notice } = options;
  const { account, membership } = options.visitor;
  const path = `/p/${membership.project.name}/keys`;
  const scopes = KeyScope.options.map((value) => ({ value, label: scopeWords[value] }));
  const main = html`<h1>Keys</h1>
    <p>Agents send a key with each question. Give each agent its own key, so that you can revoke it separately.</p>
    ${table({
      caption: "Keys of this project",
      columns: ["Name", "Begins with", "May", "Resources", "State", "Last used", "Actions"],
      rows: keys.map((key) => keyRow(key, path)),
      empty: "There are no keys yet.",
      filter: { list: "keys", label: "Filter the keys" },
    })}
    <h2>New key</h2>
    <form method="post" action="${path}" class="card">
      ${formErrors(form)}
      <input type="hidden" name="id" value="${crypto.randomUUID()}" />
      ${field(form, { name: "name", label: "Name", hint: "Who uses it: the agent, the person or the machine." })}
      ${checkBoxes(form, { name: "scopes", legend: "The key may", choices: scopes, ticked: ticked.scopes })}
      ${
        names.length > 0 &&
        checkBoxes(form, {
          name: "resources",
          legend: "Only these resources",
          hint: "Tick none for all resources that all members may use, including those that are added later.",
          choices: names.map((value) => ({ value, label: value })),
          ticked: ticked.resources,
          filter: "Filter the resources",
        })
      }
      ${field(form, { name: "days", label: "Days until it expires", type: "number", hint: "Without a number it does not expire.", isOptional: true })}
      <button>Create the key</button>
    </form>`;
  return layout({ title: "Keys", main, account, membership, current: path, notice, script: "list.js" });
}

function checkBoxes({ errors }: Form, { name, legend, hint, choices, ticked, filter }: CheckBoxesOptions): Html {
  const error = errors[name];
  const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`]
    .filter((id) => id !== false)
    .join(" ");
  const boxes = choices.map(
    ({ value, label }) =>
      html`<label
        ><input type="checkbox" name="${name}" value="${value}" ${ticked.includes(value) && html` checked`} />
        <span>${label}</span></label
      >`,
  );
  return html`<fieldset${described !== "" && html` aria-describedby="${described}"`}>
<legend>${legend}</legend>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${filter !== undefined && filterField({ list: `${name}-list`, label: filter }, choices.length)}
<div class="choices" id="${name}-list">${boxes}</div>
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
</fieldset>`;
}

interface CheckBoxesOptions {
  name: string;
  legend: string;
  hint?: string;
  choices: readonly { value: string; label: string }[];
  ticked: readonly string[];
  /** The label of the field that filters a long list. */
  filter?: string;
}

function keyRow(key: ApiKey, path: string) {
  const { id, name, hint, scopes, resources, lastUsedAt, replacedBy } = key;
  const isOver = isEnded(key);
  const actions = html`<div class="actions">
    ${replacedBy === null && actionButton({ action: `${path}/${id}/rotate`, label: "Rotate", of: name })}
    ${actionButton({
      action: `${path}/${id}/revoke`,
      label: "Revoke",
      of: name,
      warning: "Agents with this key are refused at once. A revoked key cannot be used again.",
    })}
  </div>`;
  const may = scopes.map((scope) => scopeWords[scope]).join(", ");
  return [
    name,
    html`<code>${hint}…</code>`,
    may,
    resources?.join(", ") ?? "all",
    stateOf(key),
    timeOf(lastUsedAt, "never"),
    isOver ? "" : actions,
  ];
}

function isEnded({ revokedAt, expiresAt }: ApiKey): boolean {
  return revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now());
}

function stateOf(key: ApiKey): Html {
  const { revokedAt, expiresAt, replacedBy } = key;
  if (revokedAt !== null) return html`revoked ${timeOf(revokedAt, "")}`;
  if (expiresAt === null) return html`works`;
  if (isEnded(key)) return html`expired ${timeOf(expiresAt, "")}`;
  return html`${replacedBy === null ? "expires" : "replaced, expires"} ${timeOf(expiresAt, "")}`;
}
