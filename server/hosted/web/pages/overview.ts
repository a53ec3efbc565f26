import { Router } from "express";
import { html } from "./html.ts";
import { originOf } from "./guard.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { sendHtml } from "./respond.ts";

/** The first page of a project. */
export function overviewPage({ visitors }: PageServices): Router {
  const router = Router();
  router.get("/p/:project", async (request, response) => {
    const { account, membership } = await visitors.requireMember(request, "member");
    const main = html`<h1>${membership.project.name}</h1>
      <dl>
        <dt>Your role</dt>
        <dd>${membership.role}</dd>
        <dt>Address for agents</dt>
        <dd><code>${originOf(request)}/api/mcp</code></dd>
      </dl>`;
    sendHtml(response, layout({ title: "Overview", main, account, membership, current: request.path }));
  });
  return router;
}
