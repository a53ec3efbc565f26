import { Router } from "express";
import type { NewWebhook, Webhook } from "../../protocol/hosted.ts";
import { createWebhook, findWebhook, removeWebhook, webhookPath } from "../secrets/webhooks.ts";
import { copyable } from "./copyable.ts";
import { actionButton, fieldsOf } from "./forms.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { noticeOf, redirect, sendHtml } from "./respond.ts";
import { timeOf } from "./time.ts";
import type { Visitor } from "./visitors.ts";

const notices = {
  removed: "The webhook is removed: pushes are refused.",
  repeated: "The form was sent twice: the secret that it made is still in force. If it is lost, create a new one.",
};

/** The webhook of a project: git hosts report pushes to it. */
export function webhookPages({ store, keys, visitors, addressFor }: PageServices): Router {
  const router = Router();

  router.get("/p/:project/webhook", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const webhook = await findWebhook(store, visitor.membership.project);
    sendHtml(
      response,
      webhookPage({ visitor, address: addressFor(request), webhook, notice: noticeOf(request, notices) }),
    );
  });

  router.post("/p/:project/webhook", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const { account, membership } = visitor;
    // A page that is loaded again sends its form again, which would replace the secret that was just copied.
    const { replaces } = fieldsOf(request);
    const current = await findWebhook(store, membership.project);
    if (typeof replaces === "string" && replaces !== (current?.createdAt ?? "")) {
      return redirect(response, `/p/${membership.project.name}/webhook?done=repeated`);
    }
    const created = await createWebhook(store, { keys, project: membership.project, actor: `account:${account.id}` });
    return sendHtml(response, newSecretPage({ visitor, address: addressFor(request), created }));
  });

  router.post("/p/:project/webhook/remove", async (request, response) => {
    const { account, membership } = await visitors.requireMember(request, "admin");
    await removeWebhook(store, { project: membership.project, actor: `account:${account.id}` });
    redirect(response, `/p/${membership.project.name}/webhook?done=removed`);
  });

  return router;
}

interface WebhookPageOptions {
  visitor: Visitor;
  /** The origin of the service. */
  address: string;
  webhook: Webhook | undefined;
  notice?: string | undefined;
}

function webhookPage({ visitor: { account, membership }, address, webhook, notice }: WebhookPageOptions): Html {
  const path = `/p/${membership.project.name}/webhook`;
  const state =
    webhook === undefined
      ? html`<p>There is no webhook: resources are fetched once a day, and on request.</p>`
      : html`<dl>
            <dt>Secret created</dt>
            <dd>${timeOf(webhook.createdAt, "")}</dd>
            <dt>Last push</dt>
            <dd>${timeOf(webhook.lastReceivedAt, "none yet")}</dd>
          </dl>
          ${addressOf(address, membership.project)}`;
  const main = html`<h1>Webhook</h1>
    <p>
      A git host can report each push to this service. The resources of that repository and branch are then fetched at
      once. This works with GitHub, GitLab, Gitea and Forgejo.
    </p>
    ${state}
    ${
      webhook === undefined
        ? html`<form method="post" action="${path}">
            <input type="hidden" name="replaces" value="" />
            <button>Create a secret</button>
          </form>`
        : html`<div class="actions">
            ${actionButton({
              action: path,
              label: "Create a new secret",
              fields: { replaces: webhook.createdAt },
              warning: "It replaces the old one: pushes that are signed with that are refused at once.",
            })}
            ${actionButton({
              action: `${path}/remove`,
              label: "Remove",
              of: "the webhook",
              warning: "Pushes are refused. A webhook that is created later has another secret.",
            })}
          </div>`
    }`;
  return layout({ title: "Webhook", main, account, membership, current: path, notice, script: "list.js" });
}

function addressOf(address: string, project: { id: string }): Html {
  return html`<h2>Address</h2>
    ${copyable({ id: "address", label: "The address", text: `${address}${webhookPath(project)}` })}`;
}

function newSecretPage({
  visitor: { account, membership },
  address,
  created: { secret },
}: {
  visitor: Visitor;
  address: string;
  created: NewWebhook;
}): Html {
  const path = `/p/${membership.project.name}/webhook`;
  const main = html`<h1>The webhook’s secret</h1>
    <p><strong>It is shown only now.</strong> Copy it before you leave this page.</p>
    ${copyable({ id: "secret", label: "The secret", text: secret })} ${addressOf(address, membership.project)}
    <h2>Set it up</h2>
    <ul>
      <li>GitHub: Settings → Webhooks → Add webhook. Content type application/json; only the push event.</li>
      <li>GitLab: Settings → Webhooks. Put the secret into “Secret token”; trigger: push events.</li>
      <li>Gitea and Forgejo: Settings → Webhooks → Add webhook. Trigger: push events.</li>
    </ul>
    <p><a href="${path}">Back to the webhook</a></p>`;
  return layout({ title: "The webhook’s secret", main, account, membership, script: "list.js" });
}
