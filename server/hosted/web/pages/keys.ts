import { Router } from "express";
import { type ApiKey, KeyScope, NewKeyForm } from "../../../protocol/hosted.ts";
import { rotateKey } from "../../tenants/key-rotation.ts";
import { createKey, listKeys, revokeKey } from "../../tenants/keys.ts";
import { actionButton, emptyForm, field, fieldsOf, type Form, formErrors, parseForm, valuesOf } from "./forms.ts";
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

const notices = { revoked: "The key is revoked." };

/** The keys of a project: create, rotate, revoke. */
export function keyPages({ store, visitors, addressFor, snippetsFor }: PageServices): Router {
  const router = Router();

  router.get("/p/:project/keys", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const keys = await listKeys(store, visitor.membership.project);
    sendHtml(
      response,
      keysPage({ visitor, keys, form: emptyForm, scopes: ["ask", "read"], notice: noticeOf(request, notices) }),
    );
  });

  router.post("/p/:project/keys", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const { project } = visitor.membership;
    const scopes = valuesOf(request, "scopes");
    const { data, form } = parseForm(NewKeyForm, request, { ...fieldsOf(request), scopes });
    if (data === undefined) {
      return sendHtml(response, keysPage({ visitor, keys: await listKeys(store, project), form, scopes }), 400);
    }
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
  form: Form;
  /** Those that are ticked. */
  scopes: readonly string[];
  notice?: string | undefined;
}

function keysPage({ visitor: { account, membership }, keys, form, scopes, notice }: KeysPageOptions): Html {
  const path = `/p/${membership.project.name}/keys`;
  const choices = KeyScope.options.map(
    (scope) =>
      html`<label
        ><input type="checkbox" name="scopes" value="${scope}" ${scopes.includes(scope) && html` checked`} />
        ${scopeWords[scope]}</label
      >`,
  );
  const error = form.errors["scopes"];
  const main = html`<h1>Keys</h1>
<p>Agents send a key with each question. Give each agent its own key, so that you can revoke it separately.</p>
${table({
  caption: "Keys of this project",
  columns: ["Name", "Begins with", "May", "State", "Last used", "Actions"],
  rows: keys.map((key) => keyRow(key, path)),
  empty: "There are no keys yet.",
})}
<h2>New key</h2>
<form method="post" action="${path}" class="card">
${formErrors(form)}
${field(form, { name: "name", label: "Name", hint: "Who uses it: the agent, the person or the machine." })}
<fieldset${error !== undefined && html` aria-describedby="scopes-error"`}>
<legend>The key may</legend>
${choices}
${error !== undefined && html`<p class="error" id="scopes-error">${error}</p>`}
</fieldset>
${field(form, { name: "days", label: "Days until it expires", type: "number", hint: "Without a number it does not expire.", isOptional: true })}
<button>Create the key</button>
</form>`;
  return layout({ title: "Keys", main, account, membership, current: path, notice });
}

function keyRow(key: ApiKey, path: string) {
  const { id, name, hint, scopes, lastUsedAt, replacedBy } = key;
  const isOver = isEnded(key);
  const actions = html`<div class="actions">
    ${replacedBy === null && actionButton({ action: `${path}/${id}/rotate`, label: "Rotate", of: name })}
    ${actionButton({ action: `${path}/${id}/revoke`, label: "Revoke", of: name })}
  </div>`;
  const may = scopes.map((scope) => scopeWords[scope]).join(", ");
  return [name, html`<code>${hint}…</code>`, may, stateOf(key), timeOf(lastUsedAt, "never"), isOver ? "" : actions];
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
