import { shortenRevision } from "../../protocol/citation.ts";
import type { FetchProgress, FetchState, HostedResource } from "../../protocol/hosted.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import type { ResourceListing } from "../../protocol/resource.ts";
import { describeProgress } from "../jobs/describe-fetch.ts";
import { type Html, html } from "./html.ts";
import { timeOf } from "./time.ts";

/**
 * The state, the revision and the time of a resource: cells that `resources.js` replaces while a fetch waits or runs
 * (`data-pending`). They hold nothing that has the focus.
 */
export function stateCells({ name, state, revision, fetchedAt, fetch }: HostedResource): Html[] {
  const short = revision === null ? "" : html`<code title="${revision}">${shortenRevision(revision)}</code>`;
  const cells = [
    html`${stateWords[state]}${describe(fetch, { hasSnapshot: revision !== null })}`,
    html`${short}`,
    timeOf(fetchedAt, ""),
  ];
  return cells.map((cell, index) => html`<div data-live="${name} ${index}">${cell}</div>`);
}

/** People look for a name; the service lists resources in the order in which they were added. */
export function sortByName<Resource extends { name: string }>(resources: readonly Resource[]): Resource[] {
  return resources.toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}

/** How many resources are being fetched, in words; screen readers read it when it changes. */
export function fetchSummary(fetches: readonly FetchState[]): Html {
  const pending = fetches.filter(isPending).length;
  const failed = fetches.filter(({ state }) => state === "failed").length;
  return html`<p role="status" data-live="summary">${summarize({ pending, failed, count: fetches.length })}</p>
    ${pending > 0 && html`<p class="hint" data-without-script>Load this page again to see the new state.</p>`}`;
}

/** Why a resource cannot be fetched, since when, and when it is tried again. */
export function describeFailure({ failure, since, nextTryAt, needsToken }: FetchState): Html {
  const next =
    nextTryAt === null
      ? html`only <em>Sync</em> tries again`
      : html`next try ${isDue({ nextTryAt }) ? "now" : timeOf(nextTryAt, "")}`;
  const token = needsToken !== null && ` A private repository needs a token of this project for ${needsToken}.`;
  return html`${showInvisibleInLine(failure ?? "")}.${token} First failed ${timeOf(since, "")}; ${next}.`;
}

function isDue({ nextTryAt }: Pick<FetchState, "nextTryAt">): boolean {
  return nextTryAt !== null && Date.parse(nextTryAt) <= Date.now();
}

const stateWords: Readonly<Record<ResourceListing["state"], string>> = {
  ready: "ready",
  stale: "ready; a newer revision may exist",
  absent: "not fetched yet",
  failed: "could not be fetched",
};

function describe(fetch: FetchState, { hasSnapshot }: { hasSnapshot: boolean }): Html | undefined {
  switch (fetch.state) {
    case "ready":
      return undefined;
    case "waiting":
      return html`<br /><span data-pending>waiting to be fetched</span>`;
    case "running":
      return html`<br /><span data-pending>being fetched, started ${timeOf(fetch.since, "")}</span>
        ${fetch.progress !== null && progressBar(fetch.progress)}`;
    case "failed":
      // A sync was asked for, and no worker has taken it yet.
      return html`<br /><span class="bad long" ${isDue(fetch) && html` data-pending`}
          >${hasSnapshot && "Questions are answered from the last snapshot. Fetching fails: "}${describeFailure(fetch)}</span
        >`;
  }
}

function progressBar(progress: FetchProgress): Html {
  const { fraction } = progress;
  const text = showInvisibleInLine(describeProgress(progress));
  return html`<br /><span class="muted">${text}</span>
    ${fraction !== undefined && html`<progress value="${fraction}" aria-label="Progress"></progress>`}`;
}

function isPending({ state }: FetchState): boolean {
  return state === "waiting" || state === "running";
}

function summarize({ pending, failed, count }: { pending: number; failed: number; count: number }): string {
  if (pending === 1) return "1 resource is being fetched.";
  if (pending > 1) return `${pending} resources are being fetched.`;
  if (failed === 1) return "1 resource could not be fetched.";
  if (failed > 1) return `${failed} resources could not be fetched.`;
  return count === 0 ? "" : "All resources are fetched.";
}
