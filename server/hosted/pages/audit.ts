import { once } from "node:events";
import { Router } from "express";
import type { AuditEntry } from "../../protocol/hosted.ts";
import { readAudit, searchAudit } from "../tenants/audit.ts";
import { nameOf, namesOf } from "../tenants/actor-names.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import { pageLinks, pageRows, shownBy } from "./listing.ts";
import type { PageServices } from "./pages.ts";
import { sendHtml } from "./respond.ts";
import { table } from "./table.ts";
import { timeOf } from "./time.ts";

/** The audit log of a project: to read, and to export as lines of JSON. */
export function auditPages({ store, visitors }: PageServices): Router {
  const router = Router();

  router.get("/p/:project/audit", async (request, response) => {
    const { account, membership } = await visitors.requireMember(request, "admin");
    const { project } = membership;
    const names = await namesOf(store, project);
    const { q, sort, page } = shownBy(request);
    const isOldestFirst = sort === "oldest";
    const words = q.split(/\s+/).filter((word) => word !== "");
    const offset = (page - 1) * pageRows;
    const found = await searchAudit(store, project.id, { words, names, isOldestFirst, limit: pageRows + 1, offset });
    const entries = found.slice(0, pageRows);
    const path = `/p/${project.name}/audit`;
    const hasNext = found.length > pageRows;
    const main = html`<h1>Audit log</h1>
      <p><a href="/p/${project.name}/audit.ndjson" download>Export all entries (NDJSON)</a></p>
      ${searchForm({ path, q, isOldestFirst })}
      ${table({
        caption: `${isOldestFirst ? "Oldest" : "Newest"} entries first`,
        columns: ["Action", "By", "On", "Details", "When"],
        rows: entries.map((entry) => entryRow(entry, names)),
        empty: "No entry matches.",
      })}
      ${pageLinks({ path, fields: { q, sort }, page, hasNext })}`;
    sendHtml(
      response,
      layout({ title: "Audit log", main, account, membership, current: request.path, script: "list.js" }),
    );
  });

  router.get("/p/:project/audit.ndjson", async (request, response) => {
    const { membership } = await visitors.requireMember(request, "admin");
    response.type("application/x-ndjson").attachment(`audit-${membership.project.name}.ndjson`);
    for await (const entry of readAudit(store, membership.project.id)) {
      if (response.destroyed) return;
      if (!response.write(`${JSON.stringify(entry)}\n`))
        await Promise.race([once(response, "drain"), once(response, "close")]);
    }
    response.end();
  });

  return router;
}

/** Searches the whole log, not only the page that is shown. */
function searchForm({ path, q, isOldestFirst }: { path: string; q: string; isOldestFirst: boolean }): Html {
  return html`<form method="get" action="${path}" class="filter" role="search">
    <label for="q">Find entries</label>
    <input type="search" id="q" name="q" value="${q}" autocomplete="off" />
    <label for="sort">Sort by</label>
    <select id="sort" name="sort">
      <option value="newest">Newest</option>
      <option value="oldest" ${isOldestFirst && html` selected`}>Oldest</option>
    </select>
    <button class="quiet">Show</button>
  </form>`;
}

function entryRow({ at, actor, action, target, detail }: AuditEntry, names: ReadonlyMap<string, string>) {
  const details = Object.entries(detail).map(([name, value]) => `${name}: ${describe(value)}`);
  const texts = [nameOf(names, actor), names.get(target) ?? target, details.join("; ")];
  return [action, ...texts.map((text) => html`<span class="long">${text}</span>`), timeOf(at, "")];
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return value.map(describe).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
