import { type Response, Router } from "express";
import { fromThread } from "../../../client/conversation.ts";
import { CitewellError } from "../../errors.ts";
import { ShareForm } from "../../protocol/hosted-accounts.ts";
import type { ThreadRecheck } from "../../protocol/threads.ts";
import { requireQuestionRate } from "../limits/rate.ts";
import { threadDays } from "../tenants/account-threads.ts";
import { endShare, readShare, type SharedThread, shareThread } from "../tenants/shares.ts";
import { renderAnswerEnd, renderAnswerText, renderTurn } from "./answer/answer.ts";
import { exportMarkdown } from "./answer/export.ts";
import { renderRecheck } from "./answer/recheck.ts";
import { copyable } from "./copyable.ts";
import { actionButton, fieldOf, requireFields } from "./forms.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { noticeOf, redirect, sendHtml } from "./respond.ts";
import { timeOf } from "./time.ts";
import type { Visitor } from "./visitors.ts";

const notices = { shared: "Members of this project can open this page. Send them its address." };

/** Sharing a conversation or an answer with the members of a project, and exporting one. */
export function sharePages({ store, visitors, callFor, addressFor, rateLimit }: PageServices): Router {
  const router = Router();
  const read = ({ account, membership: { project } }: Visitor, share: string) =>
    readShare(store, { project: project.id, share, reader: { kind: "account", id: account.id } });

  router.post("/p/:project/ask/share", async (request, response) => {
    const { account, membership } = await visitors.requireMember(request, "member");
    const { thread, askedAt } = requireFields(ShareForm, request);
    const sharer = { project: membership.project.id, account: account.id };
    const share = await shareThread(store, sharer, { thread, askedAt });
    redirect(response, `/p/${membership.project.name}/shared/${share}?done=shared`);
  });

  router.post("/p/:project/ask/unshare", async (request, response) => {
    const { account, membership } = await visitors.requireMember(request, "member");
    await endShare(store, {
      project: membership.project.id,
      share: fieldOf(request, "share"),
      account: membership.role === "member" ? account.id : undefined,
      actor: `account:${account.id}`,
    });
    redirect(response, `/p/${membership.project.name}/ask?done=unshared`);
  });

  router.get("/p/:project/shared/:share", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const shared = await read(visitor, request.params.share);
    let recheck: ThreadRecheck | undefined;
    if (request.query["check"] !== undefined) {
      await requireQuestionRate(store, visitor.account, rateLimit);
      const { app, signal } = callFor(visitor, response, { share: shared.id });
      recheck = await app.recheckThread({ id: shared.id }, { signal });
    }
    const address = `${addressFor(request)}/p/${visitor.membership.project.name}/shared/${shared.id}`;
    sendHtml(response, sharedPage({ visitor, shared, address, recheck, notice: noticeOf(request, notices) }));
  });

  router.get("/p/:project/shared/:share/markdown", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const { title, shown } = await read(visitor, request.params.share);
    const turns = shown.filter((turn) => turn !== undefined);
    if (turns.length === 0) throw new CitewellError("ThreadNotFound", `nothing to export: ${hiddenWords}`);
    const base = `${addressFor(request)}/p/${visitor.membership.project.name}`;
    sendMarkdown(response, exportMarkdown({ title, turns }, base));
  });

  router.get("/p/:project/ask/check", async (request, response) => {
    const { membership } = await visitors.requireMember(request, "member");
    const thread = request.query["thread"];
    const page = typeof thread === "string" && /^\w+$/.test(thread) ? `/${thread}?check=yes#recheck` : "";
    redirect(response, `/p/${membership.project.name}/ask${page}`);
  });

  router.get("/p/:project/ask/markdown", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const { app, signal } = callFor(visitor, response);
    const base = `/p/${visitor.membership.project.name}`;
    const id = request.query["thread"];
    if (typeof id !== "string" || id === "") return redirect(response, `${base}/ask`);
    const thread = await app.getThread({ id }, { signal });
    return sendMarkdown(response, exportMarkdown(thread, `${addressFor(request)}${base}`));
  });

  return router;
}

function sendMarkdown(response: Response, text: string): void {
  response.type("text/markdown").attachment("conversation.md").send(text);
}

const hiddenWords = "it may come from a resource that you may not use, or that was removed";

interface SharedPageOptions {
  visitor: Visitor;
  shared: SharedThread;
  address: string;
  recheck: ThreadRecheck | undefined;
  notice: string | undefined;
}

function sharedPage({ visitor, shared, address, recheck, notice }: SharedPageOptions): Html {
  const { account, membership } = visitor;
  const { id, title, email, createdAt, shown } = shared;
  const base = `/p/${membership.project.name}`;
  const path = `${base}/shared/${id}`;
  const visible = shown.filter((turn) => turn !== undefined);
  const { turns } = fromThread({ id, title, createdAt, updatedAt: createdAt, turns: visible });
  const articles = shown.map((turn) => {
    const drawn = turn === undefined ? undefined : turns[visible.indexOf(turn)];
    if (drawn === undefined) return html`<p class="doubtful">An answer is not shown to you: ${hiddenWords}.</p>`;
    return renderTurn({
      turn: drawn,
      blocks: renderAnswerText(drawn, base),
      end: renderAnswerEnd(drawn, { base }),
    });
  });
  const mayEnd = account.id === shared.account || membership.role !== "member";
  const main = html`<h1>${shown.length === 1 ? "A shared answer" : "A shared conversation"}</h1>
    <p class="muted">
      Shared by ${email}, ${timeOf(createdAt, "")}. Members of this project can open it until its conversation is
      deleted, ${threadDays} days after the last question.
    </p>
    ${copyable({ id: "address", label: "The address of this page", text: address })}
    ${recheck !== undefined && renderRecheck(recheck, base)}
    <div id="turns">${articles}</div>
    <div class="actions">
      ${
        visible.length > 0 &&
        html`<a href="${path}?check=yes#recheck" rel="nofollow">Still true?</a>
          <a href="${path}/markdown" download>Export as Markdown</a>`
      }
      ${
        mayEnd &&
        actionButton({
          action: `${base}/ask/unshare`,
          label: "Stop sharing",
          fields: { share: id },
          warning: "The address no longer opens for anyone. The conversation stays.",
        })
      }
    </div>`;
  return layout({ title, main, account, membership, notice, script: "list.js" });
}
