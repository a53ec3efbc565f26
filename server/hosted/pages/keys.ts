import { Router } from "express";
import { CitewellError } from "../../errors.ts";
import { type ApiKey, type KeyScope, NewKeyForm, type OwnKeyRule, OwnKeyRuleForm } from "../../protocol/api-keys.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { storeFor } from "../store/store.ts";
import { rotateKey } from "../tenants/key-rotation.ts";
import { createKey, listKeys, revokeKey, scopesByRole } from "../tenants/keys.ts";
import { createOwnKey, readOwnKeyRule, requireOwnKeys, setOwnKeyRule } from "../tenants/own-keys.ts";
import { listResourceNames } from "../tenants/resource-names.ts";
import {
  actionButton,
  emptyForm,
  field,
  fieldOf,
  fieldsOf,
  type Form,
  formErrors,
  parseForm,
  requireFields,
  valuesOf,
} from "./forms.ts";
import { filterField, tickedUpTo } from "./filter.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import {
  asRead,
  byGreatest,
  byText,
  listForm,
  listLinks,
  listRows,
  type Orders,
  type Shown,
  shownBy,
  wholeList,
} from "./listing.ts";
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
  rule: "The rule for members’ own keys is saved.",
  repeated:
    "The form was sent twice, and the key exists already. Its text was shown once; if it is lost, revoke the key.",
};

/** Keys: admins see and make those of the project and see those of members; a member sees and makes its own. */
export function keyPages({ store, visitors, addressFor, snippetsFor }: PageServices): Router {
  const router = Router();
  const ownOf = ({ account, membership }: Visitor) => (membership.role === "member" ? { account: account.id } : {});
  const read = async (visitor: Visitor) => {
    const { project } = visitor.membership;
    const own = storeFor(store, { kind: "account", id: visitor.account.id });
    return {
      visitor,
      keys: await listKeys(store, project, ownOf(visitor)),
      names: await own.asProject(project.id, (queries) => listResourceNames(queries, project.id)),
      rule: await readOwnKeyRule(store, project.id),
    };
  };
  /** One that the visitor may change. @throws KeyNotFound */
  const requireKey = async (visitor: Visitor, id: string) => {
    const keys = await listKeys(store, visitor.membership.project, ownOf(visitor));
    if (keys.some((key) => key.id === id)) return id;
    throw new CitewellError("KeyNotFound", `no key ${quoteValue(id)}`, { hint: "the page Keys lists them" });
  };

  router.get("/p/:project/keys", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const ticked = { scopes: ["ask", "read"], resources: [] };
    const notice = noticeOf(request, notices);
    const shown = shownBy(request);
    sendHtml(response, keysPage({ ...(await read(visitor)), shown, form: emptyForm, ticked, notice }));
  });

  router.post("/p/:project/keys", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const { account, membership } = visitor;
    const { project, role } = membership;
    const typed = fieldOf(request, "about").split(/[\s,]+/);
    const resources = [...valuesOf(request, "resources"), ...typed.filter((name) => name !== "")];
    const ticked = { scopes: valuesOf(request, "scopes"), resources };
    const { data, form } = parseForm(NewKeyForm, request, { ...fieldsOf(request), ...ticked });
    if (data === undefined) return sendHtml(response, keysPage({ ...(await read(visitor)), form, ticked }), 400);
    // A page that is loaded again sends its form again: a second key of the same name could not be told apart.
    const isRepeated = (await listKeys(store, project, ownOf(visitor))).some(({ id }) => id === data.id);
    if (isRepeated) return redirect(response, `/p/${project.name}/keys?done=repeated`);
    const created =
      role === "member"
        ? await createOwnKey(store, project, { ...data, owner: { account: account.id, role } })
        : await createKey(store, project, { ...data, actor: `account:${account.id}` });
    return sendHtml(response, newKeyPage({ visitor, address: addressFor(request), created, snippetsFor }));
  });

  router.post("/p/:project/keys/members", async (request, response) => {
    const { account, membership } = await visitors.requireMember(request, "admin");
    const rule = requireFields(OwnKeyRuleForm, request);
    await setOwnKeyRule(store, membership.project, { rule, actor: `account:${account.id}` });
    redirect(response, `/p/${membership.project.name}/keys?done=rule`);
  });

  router.post("/p/:project/keys/:key/rotate", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const actor = `account:${visitor.account.id}`;
    const key = await requireKey(visitor, request.params.key);
    if (visitor.membership.role === "member") await requireOwnKeys(store, visitor.membership.project.id);
    const created = await rotateKey(store, visitor.membership.project, key, { actor });
    sendHtml(response, newKeyPage({ visitor, address: addressFor(request), created, snippetsFor, isRotated: true }));
  });

  router.post("/p/:project/keys/:key/revoke", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const { account, membership } = visitor;
    const key = await requireKey(visitor, request.params.key);
    await revokeKey(store, membership.project, key, { actor: `account:${account.id}` });
    redirect(response, `/p/${membership.project.name}/keys?done=revoked`);
  });

  return router;
}

interface KeysPageOptions {
  visitor: Visitor;
  keys: readonly ApiKey[];
  shown?: Shown;
  /** The names of the resources that the visitor may use. */
  names: readonly string[];
  rule: OwnKeyRule | null;
  form: Form;
  ticked: { scopes: readonly string[]; resources: readonly string[] };
  notice?: string | undefined;
}

const orders: Orders<ApiKey> = {
  oldest: asRead("Oldest"),
  newest: { label: "Newest", compare: byGreatest(({ createdAt }) => createdAt) },
  name: { label: "Name", compare: byText(({ name }) => name) },
  used: { label: "Last used", compare: byGreatest(({ lastUsedAt }) => lastUsedAt) },
  expires: { label: "Expires first", compare: byText((key) => (isEnded(key) ? "z" : (key.expiresAt ?? "y"))) },
};

function textOf(key: ApiKey): string {
  const { name, hint, scopes, resources, member } = key;
  const state = key.revokedAt !== null ? "revoked" : isEnded(key) ? "expired" : "works";
  const may = scopes.map((scope) => scopeWords[scope]);
  return [name, hint, member ?? "", state, ...may, ...(resources ?? ["all"])].join(" ");
}

function keysPage(options: KeysPageOptions): Html {
  const { visitor, keys, shown = wholeList, rule, notice } = options;
  const listed = listRows(keys, { shown, textOf, orders });
  const { account, membership } = visitor;
  const path = `/p/${membership.project.name}/keys`;
  const isAdmin = membership.role !== "member";
  const main = html`<h1>Keys</h1>
    <p>
      ${
        isAdmin
          ? "Agents send a key with each question. Give each agent its own key, so that you can revoke it separately."
          : "Your agents send a key of yours with each question. It may use what you may use, and ends with your membership."
      }
    </p>
    ${listForm(listed, { path, label: "Find keys" })}
    ${table({
      caption: isAdmin ? "Keys of this project and its members" : "Your keys",
      columns: ["Name", "Begins with", "May", "Resources", "State", "Last used", "Actions"],
      rows: listed.rows.map((key) => keyRow(key, { path, isAdmin })),
      empty: keys.length > 0 ? "No key is like that." : isAdmin ? "There are no keys yet." : "You have no keys yet.",
    })}
    ${listLinks(listed, path)}
    ${
      isAdmin || rule !== null
        ? newKeyForm(options, path)
        : html`<p>
            Members of this project cannot make keys of their own. An admin can allow it here, or make one for you.
          </p>`
    }
    ${isAdmin && ownKeyForm(rule, path)}`;
  return layout({ title: "Keys", main, account, membership, current: path, notice, script: "list.js" });
}

function newKeyForm({ visitor, names, rule, form, ticked }: KeysPageOptions, path: string): Html {
  const { role } = visitor.membership;
  const most = role === "member" ? rule?.days : undefined;
  const scopes = scopesByRole[role].map((value) => ({ value, label: scopeWords[value] }));
  return html`<h2>New key</h2>
    <form method="post" action="${path}" class="card">
      ${formErrors(form)}
      <input type="hidden" name="id" value="${crypto.randomUUID()}" />
      ${field(form, { name: "name", label: "Name", hint: "Who uses it: the agent, the person or the machine." })}
      ${checkBoxes(form, { name: "scopes", legend: "The key may", choices: scopes, ticked: ticked.scopes })}
      ${names.length > 0 && resourceChoice(form, { names, ticked: ticked.resources, whose: role === "member" ? "you" : "all members" })}
      ${field(form, {
        name: "days",
        label: "Days until it expires",
        type: "number",
        ...(most == null
          ? { hint: "Without a number it does not expire.", isOptional: true }
          : { hint: `At most ${most}.`, ...(form.values["days"] === undefined ? { value: `${most}` } : {}) }),
      })}
      <button>Create the key</button>
    </form>`;
}

/** What a key may use: ticked, or typed where there are more than people look through. */
function resourceChoice(
  form: Form,
  { names, ticked, whose }: { names: readonly string[]; ticked: readonly string[]; whose: string },
): Html {
  const all = `for all resources that ${whose} may use, including those that are added later`;
  if (names.length > tickedUpTo) {
    // The error of the field of ticks.
    const errors = form.errors["resources"] === undefined ? {} : { about: form.errors["resources"] };
    return field(
      { values: {}, errors },
      {
        name: "about",
        label: "Only these resources",
        hint: `Their names, as on the page Resources, with spaces between. Leave it empty ${all}.`,
        isOptional: true,
        value: ticked.join(" "),
      },
    );
  }
  return checkBoxes(form, {
    name: "resources",
    legend: "Only these resources",
    hint: `Tick none ${all}.`,
    choices: names.map((value) => ({ value, label: value })),
    ticked,
    filter: "Filter the resources",
  });
}

function ownKeyForm(rule: OwnKeyRule | null, path: string): Html {
  return html`<h2>Members’ own keys</h2>
    <p>
      A member’s own key may ask, search and read what the member may use, and ends with the membership. You see all of
      them above and can revoke each.
    </p>
    <form method="post" action="${path}/members" class="card">
      <label
        ><input type="checkbox" name="isAllowed" value="yes" ${rule !== null && html` checked`} />
        <span>Members may make keys of their own</span></label
      >
      ${field(emptyForm, {
        name: "mostDays",
        label: "Days until such a key expires, at most",
        type: "number",
        hint: "Without a number, a key need not expire. Keys that exist stay as they are.",
        isOptional: true,
        value: rule === null ? `${usualMostDays}` : `${rule.days ?? ""}`,
      })}
      <button>Save the rule</button>
    </form>`;
}

/** Proposed to an admin who allows own keys. */
const usualMostDays = 90;

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

function keyRow(key: ApiKey, { path, isAdmin }: { path: string; isAdmin: boolean }) {
  const { id, name, hint, scopes, resources, lastUsedAt, replacedBy, member } = key;
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
    isAdmin && member !== null ? html`${name} <span class="muted">of ${member}</span>` : name,
    html`<code>${hint}…</code>`,
    may,
    resources === null ? "all" : namesOf(resources),
    stateOf(key),
    timeOf(lastUsedAt, "never"),
    isOver ? "" : actions,
  ];
}

/** A key may have thousands. */
const shownNames = 5;

function namesOf(resources: readonly string[]): string {
  const more = resources.length - shownNames;
  const shown = resources.slice(0, shownNames).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
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
