import { Router } from "express";
import type { Log } from "../../../lib/log.ts";
import type { Store } from "../../store/store.ts";
import { projectsOf } from "../../tenants/members.ts";
import { createPasswords, type Passwords } from "../../tenants/passwords.ts";
import { readForm } from "./forms.ts";
import { requireSameOrigin, setPageHeaders } from "./guard.ts";
import { html } from "./html.ts";
import { layout } from "./layout.ts";
import { overviewPage } from "./overview.ts";
import { redirect, sendHtml, showErrors } from "./respond.ts";
import { signInPages } from "./sign-in.ts";
import { icon, style } from "./style.ts";
import { createVisitors, type Visitors } from "./visitors.ts";

/** What the pages need. */
export interface PageOptions {
  store: Store;
  log: Log;
}

/** What each page works with. */
export interface PageServices extends PageOptions {
  passwords: Passwords;
  visitors: Visitors;
}

/** The web pages: server-rendered, complete without script. What is no page of theirs goes on. */
export function createPages(options: PageOptions): Router {
  const { store, log } = options;
  const visitors = createVisitors(store);
  const services: PageServices = { ...options, visitors, passwords: createPasswords() };
  const router = Router();
  router.use(setPageHeaders);
  router.get("/assets/style.css", (_request, response) => void response.type("css").send(style));
  router.get("/assets/icon.svg", (_request, response) => void response.type("svg").send(icon));
  router.use(requireSameOrigin, readForm, visitors.identify);
  router.get("/", async (request, response) => {
    const account = visitors.requireAccount(request);
    const [first, ...others] = await projectsOf(store, account);
    if (first !== undefined && others.length === 0) return redirect(response, `/p/${first.project.name}`);
    const items = [first, ...others].flatMap((membership) =>
      membership === undefined
        ? []
        : [html`<li><a href="/p/${membership.project.name}">${membership.project.name}</a> (${membership.role})</li>`],
    );
    const list =
      items.length === 0
        ? html`<p>You are in no project. Ask an owner for a link.</p>`
        : html`<ul>
            ${items}
          </ul>`;
    return sendHtml(
      response,
      layout({
        title: "Projects",
        account,
        main: html`<h1>Projects</h1>
          ${list}`,
      }),
    );
  });
  router.use(signInPages(services), overviewPage(services));
  router.use(showErrors(log));
  return router;
}
