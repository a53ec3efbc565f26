import { Router } from "express";
import type { ApiKey } from "../../protocol/api-keys.ts";
import type { HostedResource } from "../../protocol/hosted.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import type { ThreadSummary } from "../../protocol/threads.ts";
import { readUsage } from "../limits/project-limits.ts";
import { listFetched } from "../projects/registered.ts";
import { listKeys } from "../tenants/keys.ts";
import { copyable } from "./copyable.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { describeFailure, sortByName } from "./resource-states.ts";
import { sendHtml } from "./respond.ts";
import { describeThread } from "./threads.ts";
import { timeOf } from "./time.ts";

/** The number of rows of each list; the pages have the rest. */
const shownItems = 5;

/** The first page of a project: what to do next, the state of its resources, and who asked what. */
export function overviewPage({ store, visitors, callFor, addressFor, issuer }: PageServices): Router {
  const router = Router();
  router.get("/p/:project", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const { account, membership } = visitor;
    const { project, role } = membership;
    const base = `/p/${project.name}`;
    const isAdmin = role !== "member";
    const call = callFor(visitor, response);
    const resources = await listFetched(call);
    const { threads } = await call.app.listThreads({}, { signal: call.signal });
    const keys = await listKeys(store, project);
    const usage = await store.asProject(project.id, (queries) => readUsage(queries, project.id));
    const main = html`<h1>${project.name}</h1>
      ${nextSteps({ base, hasResources: resources.length > 0, hasAsked: threads.length > 0, keys, isAdmin })}
      <h2>Resources</h2>
      ${resourceStates(resources, base)}
      <h2>Your last questions</h2>
      ${lastQuestions(threads, base)}
      <h2>Agents</h2>
      ${isAdmin && agentUse(keys, { base, questions: usage.questions })}
      <p>Their address, with a key${issuer !== undefined && ` or signing in with ${issuer.host}`}:</p>
      ${copyable({ id: "address", label: "The address for agents", text: `${addressFor(request)}/api/mcp?results=text` })}
      <p class="muted">You are ${role === "member" ? "a" : "an"} ${role} of this project.</p>`;
    sendHtml(response, layout({ title: "Overview", main, account, membership, current: base, script: "list.js" }));
  });
  return router;
}

/** The first steps that were not taken yet. */
function nextSteps({
  base,
  hasResources,
  hasAsked,
  keys,
  isAdmin,
}: {
  base: string;
  hasResources: boolean;
  hasAsked: boolean;
  keys: readonly ApiKey[];
  isAdmin: boolean;
}): Html | undefined {
  const isUsed = keys.some(({ lastUsedAt }) => lastUsedAt !== null);
  const steps = [
    ...(isAdmin && !hasResources ? [html`<a href="${base}/resources">Add a repository or a package</a>`] : []),
    ...(hasResources && !hasAsked ? [html`<a href="${base}/ask">Ask a question</a>`] : []),
    ...(isAdmin && !isUsed ? [html`<a href="${base}/keys">Make a key for an agent</a>`] : []),
  ];
  if (steps.length === 0) return undefined;
  return html`<section class="card">
    <h2>Next</h2>
    <ol>
      ${steps.map((step) => html`<li>${step}</li>`)}
    </ol>
  </section>`;
}

function resourceStates(resources: readonly HostedResource[], base: string): Html {
  if (resources.length === 0)
    return html`<p>There are none yet. An admin of the project adds repositories and packages.</p>`;
  const failed = sortByName(resources).filter(({ fetch }) => fetch.state === "failed");
  const pending = resources.filter(({ fetch }) => fetch.state === "waiting" || fetch.state === "running");
  const fetched = resources.filter(({ fetch }) => fetch.state === "ready");
  const stale = fetched.filter(({ state }) => state === "stale");
  const part = (count: number, words: string, query = "") =>
    count > 0 && html`<li><a href="${base}/resources${query}">${count} ${words}</a></li>`;
  const items = failed
    .slice(0, shownItems)
    .map(
      ({ name, fetch }) =>
        html`<li><bdi>${showInvisibleInLine(name)}</bdi>: <span class="bad">${describeFailure(fetch)}</span></li>`,
    );
  const more = failed.length - items.length;
  return html`<ul class="counts">
      ${part(fetched.length - stale.length, "ready")} ${part(stale.length, "ready; a newer revision may exist")}
      ${part(pending.length, "being fetched")} ${part(failed.length, "could not be fetched", "?state=failed")}
    </ul>
    ${
      items.length > 0 &&
      html`<ul>
        ${items} ${more > 0 && html`<li><a href="${base}/resources?state=failed">${more} more</a></li>`}
      </ul>`
    }`;
}

function lastQuestions(threads: readonly ThreadSummary[], base: string): Html {
  if (threads.length === 0) return html`<p>You have not asked here yet.</p>`;
  const items = threads.slice(0, shownItems).map(
    (thread) =>
      html`<li>
        <div>
          <a href="${base}/ask/${thread.id}"><bdi>${showInvisibleInLine(thread.title)}</bdi></a>
          <p class="hint">${describeThread(thread)}</p>
        </div>
      </li>`,
  );
  return html`<ul class="conversations">
    ${items}
  </ul>`;
}

/** What agents ask is not stored; that they ask is. */
function agentUse(keys: readonly ApiKey[], { base, questions }: { base: string; questions: number }): Html {
  const used = keys
    .flatMap(({ name, lastUsedAt }) => (lastUsedAt === null ? [] : [{ name, lastUsedAt }]))
    .toSorted((a, b) => b.lastUsedAt.localeCompare(a.lastUsedAt))
    .slice(0, shownItems);
  const count = questions === 1 ? "1 question" : `${questions} questions`;
  return html`<p><a href="${base}/usage">${count} this month, of people and agents</a></p>
    ${
      used.length > 0 &&
      html`<ul>
        ${used.map(
          ({ name, lastUsedAt }) =>
            html`<li><bdi>${showInvisibleInLine(name)}</bdi>, last used ${timeOf(lastUsedAt, "")}</li>`,
        )}
      </ul>`
    }`;
}
