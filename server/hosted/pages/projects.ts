import { Router } from "express";
import { projectsOf } from "../tenants/members.ts";
import { html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { redirect, sendHtml } from "./respond.ts";

/** The start page: the projects of the account, or its only one. */
export function projectList({ store, visitors }: PageServices): Router {
  const router = Router();
  router.get("/", async (request, response) => {
    const account = visitors.requireAccount(request);
    const memberships = await projectsOf(store, account);
    const [first, second] = memberships;
    if (first !== undefined && second === undefined) return redirect(response, `/p/${first.project.name}`);
    const items = memberships.map(
      ({ project: { name }, role }) => html`<li><a href="/p/${name}">${name}</a> (${role})</li>`,
    );
    const main = html`<h1>Projects</h1>
      ${
        items.length === 0
          ? html`<p>You are not a member of any project. Ask an owner for an invitation.</p>`
          : html`<ul>
              ${items}
            </ul>`
      }`;
    return sendHtml(response, layout({ title: "Projects", account, main }));
  });
  return router;
}
