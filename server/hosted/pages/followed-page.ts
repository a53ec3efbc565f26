import type { FollowedAccount, FollowPlan } from "../../protocol/followed-accounts.ts";
import { hostKindNames } from "../../protocol/host-kinds.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import type { FetchCounts } from "../jobs/states.ts";
import { actionButton, field, type Form, formErrors, hostKindField } from "./forms.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import { table } from "./table.ts";
import { timeOf } from "./time.ts";
import type { Visitor } from "./visitors.ts";

interface PageBase {
  visitor: Visitor;
  /** By the id of the account. */
  counts: ReadonlyMap<string | null, FetchCounts>;
  form: Form;
  plan?: FollowPlan | undefined;
  notice?: string | undefined;
}

/** The accounts that a project follows, and the form for another one. */
export function listPage({
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
      ${formErrors(form)} ${hostKindField(form, "kind")}
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

/** One followed account: its filters, and what its last list changed. */
export function accountPage({
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
