import type { Account } from "../../protocol/hosted-accounts.ts";
import type { Membership } from "../tenants/members.ts";
import type { PageScript } from "./assets.ts";
import { type Html, html } from "./html.ts";

/** What a page shows. */
export interface LayoutOptions {
  title: string;
  /** Begins with the `h1`. */
  main: Html;
  account?: Account | undefined;
  membership?: Membership | undefined;
  /** The path of the entry of the menu that is open. */
  current?: string | undefined;
  /** What a form did. */
  notice?: string | undefined;
  script?: PageScript | undefined;
}

/** A whole page: banner, menu, content. */
export function layout({ title, main, account, membership, current, notice, script }: LayoutOptions): Html {
  const place = membership === undefined ? "" : `${membership.project.name} · `;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${place}Citewell</title>
        <link rel="stylesheet" href="/assets/style.css" />
        <link rel="icon" href="/assets/icon.svg" />
        ${script !== undefined && html`<script type="module" src="/assets/${script}"></script>`}
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <a class="brand" href="/">Citewell</a>
          ${membership !== undefined && html`<span class="place">${membership.project.name}</span>`}
          ${account !== undefined && accountMenu(account)}
        </header>
        ${membership !== undefined && menu(membership, current)}
        <main id="main" tabindex="-1">
          ${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`} ${main}
        </main>
      </body>
    </html> `;
}

function accountMenu({ email }: Account): Html {
  return html`<form method="post" action="/sign-out" class="account">
    <a href="/account">${email}</a>
    <button class="plain">Sign out</button>
  </form>`;
}

function menu({ project, role }: Membership, current: string | undefined): Html {
  const base = `/p/${project.name}`;
  const isAdmin = role !== "member";
  const entries = [
    [base, "Overview"],
    [`${base}/ask`, "Ask"],
    [`${base}/resources`, "Resources"],
    [`${base}/keys`, "Keys"],
    [`${base}/members`, "Members"],
    ...(isAdmin ? [[`${base}/tokens`, "Repository tokens"] as const, [`${base}/webhook`, "Webhook"] as const] : []),
    ...(isAdmin ? [[`${base}/usage`, "Usage"] as const] : []),
    ...(isAdmin ? [[`${base}/audit`, "Audit log"] as const] : []),
  ] as const;
  const items = entries.map(([path, name]) =>
    path === current
      ? html`<li><a href="${path}" aria-current="page">${name}</a></li>`
      : html`<li><a href="${path}">${name}</a></li>`,
  );
  return html`<nav aria-label="Project ${project.name}">
    <ul>
      ${items}
    </ul>
  </nav>`;
}
