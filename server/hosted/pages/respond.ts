import type { ErrorRequestHandler, Request, Response } from "express";
import type { Log } from "../../lib/log.ts";
import { toRequestError } from "../../transports/http/body.ts";
import { statusByKind } from "../../transports/http/status.ts";
import { unavailableSeconds } from "../http/reply.ts";
import { toPublicError } from "../public-error.ts";
import { loggedPath, requestLog } from "../http/request-id.ts";
import { type Html, html, toMarkup } from "./html.ts";
import { layout } from "./layout.ts";

/** Sends a page. */
export function sendHtml(response: Response, page: Html, status = 200): void {
  response.status(status).type("html").send(toMarkup(page));
}

/** After a form was carried out: a page to look at, which can be loaded again. */
export function redirect(response: Response, path: string): void {
  response.redirect(303, path);
}

/** Failures as a page; those who are not signed in go there, and come back. */
export function showErrors(log: Log): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    const error = toPublicError(toRequestError(thrown));
    const { tag, kind, message, hint } = error;
    const fields = { path: loggedPath(request), tag };
    if (tag === "Internal" || kind === "unavailable")
      requestLog(log, response).error("page-failed", { ...fields, error: error.cause ?? error });
    // The operator mends these: the visitor can only report them.
    else if (statusByKind[kind] >= 500) requestLog(log, response).warn("page-failed", { ...fields, error: message });
    if (response.destroyed || response.writableEnded) return;
    if (response.headersSent) response.destroy();
    else if (tag === "SignInRequired" && request.method === "GET") {
      redirect(response, `/sign-in?next=${encodeURIComponent(request.originalUrl)}`);
    } else {
      const main = html`<h1>${titleOf(statusByKind[kind])}</h1>
        <p>${sentence(message)}</p>
        ${hint !== undefined && html`<p class="muted">${sentence(hint)}</p>`}
        <p><a href="/">Back to your projects</a></p>`;
      if (kind === "unavailable") response.set("Retry-After", String(unavailableSeconds));
      sendHtml(response, layout({ title: "Not possible", main }), statusByKind[kind]);
    }
  };
}

/** A message of ours as a sentence of a page. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

/** What a form did, as the page shows it that the browser is sent to: `?done=<name>`. */
export function noticeOf(request: Request, notices: Readonly<Record<string, string>>): string | undefined {
  const { done } = request.query;
  return typeof done === "string" && Object.hasOwn(notices, done) ? notices[done] : undefined;
}

/** The page of ours that follows the sign-in. */
export function nextPath(request: Request): string {
  const next = request.query["next"];
  // Two slashes, or a slash and a backslash, begin the address of another site.
  return typeof next === "string" && /^\/(?![/\\])/.test(next) ? next : "/";
}

function titleOf(status: number): string {
  if (status === 404) return "Not found";
  if (status === 403) return "Not allowed";
  if (status === 429) return "Too many requests";
  return status < 500 ? "That did not work" : "Something went wrong";
}
