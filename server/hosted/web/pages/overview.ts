import { Router } from "express";
import type { ResourceListing } from "../../../protocol/resource.ts";
import { listKeys } from "../../tenants/keys.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { sendHtml } from "./respond.ts";

/** The first page of a project: what there is, and what to do next. */
export function overviewPage({ store, visitors, callFor, addressFor, issuer }: PageServices): Router {
  const router = Router();
  router.get("/p/:project", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const { account, membership } = visitor;
    const { project, role } = membership;
    const base = `/p/${project.name}`;
    const { app, signal } = callFor(visitor, response);
    const { resources } = await app.listResources({}, { signal });
    const used = (await listKeys(store, project)).some(({ lastUsedAt }) => lastUsedAt !== null);
    const main = html`<h1>${project.name}</h1>
      <dl>
        <dt>Resources</dt>
        <dd><a href="${base}/resources">${describeResources(resources)}</a></dd>
        <dt>Address for agents</dt>
        <dd>
          <code>${addressFor(request)}/api/mcp?results=text</code>
          ${issuer !== undefined && html` (with a key, or signing in with ${issuer.host})`}
        </dd>
        <dt>Your role</dt>
        <dd>${role}</dd>
      </dl>
      ${nextStep({ base, hasResources: resources.length > 0, used, isAdmin: role !== "member" })}`;
    sendHtml(response, layout({ title: "Overview", main, account, membership, current: base }));
  });
  return router;
}

function describeResources(resources: readonly ResourceListing[]): string {
  const failed = resources.filter(({ state }) => state === "failed").length;
  const count = resources.length === 1 ? "1 resource" : `${resources.length} resources`;
  return failed === 0 ? count : `${count}, ${failed} could not be fetched`;
}

function nextStep({
  base,
  hasResources,
  used,
  isAdmin,
}: {
  base: string;
  hasResources: boolean;
  used: boolean;
  isAdmin: boolean;
}): Html {
  const steps = [
    ...(isAdmin && !hasResources ? [html`<a href="${base}/resources">Add a repository or a package</a>`] : []),
    ...(hasResources ? [html`<a href="${base}/ask">Ask a question</a>`] : []),
    ...(isAdmin && !used ? [html`<a href="${base}/keys">Make a key for an agent</a>`] : []),
  ];
  if (steps.length === 0) return html`<p>An admin of the project has to add a repository or a package first.</p>`;
  return html`<h2>Next</h2>
    <ul>
      ${steps.map((step) => html`<li>${step}</li>`)}
    </ul>`;
}
