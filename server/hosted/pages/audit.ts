import { once } from "node:events";
import { Router } from "express";
import type { AuditEntry } from "../../protocol/hosted.ts";
import { listAudit, readAudit } from "../tenants/audit.ts";
import { nameOf, namesOf } from "../tenants/actor-names.ts";
import { html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { sendHtml } from "./respond.ts";
import { table } from "./table.ts";
import { timeOf } from "./time.ts";

const shownEntries = 200;

/** The audit log of a project: to read, and to export as lines of JSON. */
export function auditPages({ store, visitors }: PageServices): Router {
  const router = Router();

  router.get("/p/:project/audit", async (request, response) => {
    const { account, membership } = await visitors.requireMember(request, "admin");
    const { project } = membership;
    const entries = await listAudit(store, project.id, { limit: shownEntries });
    const names = await namesOf(store, project);
    const main = html`<h1>Audit log</h1>
      <p><a href="/p/${project.name}/audit.ndjson" download>Export all entries (NDJSON)</a></p>
      ${table({
        caption: `The newest entries, at most ${shownEntries}`,
        columns: ["Action", "By", "On", "Details", "When"],
        rows: entries.map((entry) => entryRow(entry, names)),
        empty: "There are no entries yet.",
        filter: { list: "entries", label: "Filter these entries" },
      })}`;
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

function entryRow({ at, actor, action, target, detail }: AuditEntry, names: ReadonlyMap<string, string>) {
  const details = Object.entries(detail).map(([name, value]) => `${name}: ${describe(value)}`);
  const texts = [nameOf(names, actor), names.get(target) ?? target, details.join("; ")];
  return [action, ...texts.map((text) => html`<span class="long">${text}</span>`), timeOf(at, "")];
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return value.map(describe).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
