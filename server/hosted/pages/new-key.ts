import type { ApiKey } from "../../protocol/api-keys.ts";
import { copyable } from "./copyable.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import type { Visitor } from "./visitors.ts";

interface NewKeyPageOptions extends Pick<PageServices, "snippetsFor"> {
  visitor: Visitor;
  /** The origin of the service. */
  address: string;
  created: { key: string; listing: ApiKey };
  isRotated?: boolean;
}

/** The only page that shows a key, with what each client needs of it. */
export function newKeyPage({
  visitor: { account, membership },
  address,
  created,
  snippetsFor,
  isRotated = false,
}: NewKeyPageOptions): Html {
  const { key, listing } = created;
  const url = `${address}/api/mcp`;
  const path = `/p/${membership.project.name}/keys`;
  const snippets = snippetsFor({ url, key }).map(
    ({ client, file, text }, index) =>
      html`<input
          type="radio"
          name="client"
          id="client-${index}"
          class="hidden"
          autocomplete="off"
          ${index === 0 && html` checked`}
        />
        <label for="client-${index}">${client}</label>
        <div>
          <p>In <code>${file}</code>:</p>
          ${copyable({ id: `snippet-${index}`, label: `Settings for ${client}`, text })}
        </div>`,
  );
  const main = html`<h1>The key “${listing.name}”</h1>
    <p>
      <strong>It is shown only now.</strong> Copy it before you leave this
      page.${isRotated && " The key that it replaces works for one more day."}
    </p>
    ${copyable({ id: "key", label: "The key", text: key })}
    ${listing.resources !== null && html`<p>It may use only these resources: ${listing.resources.join(", ")}.</p>`}
    ${
      snippets.length > 0 &&
      html`<h2>Connect a client</h2>
        <p>The key is a secret: keep a settings file with it out of version control.</p>
        <fieldset class="picker">
          <legend class="hidden">Client</legend>
          ${snippets}
        </fieldset>`
    }
    <h2>Try it</h2>
    ${copyable({ id: "command", label: "A command to try the key", text: tryCommand(url, key) })}
    <p><a href="${path}">Back to the keys</a></p>`;
  return layout({ title: "New key", main, account, membership, script: "list.js" });
}

function tryCommand(url: string, key: string): string {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "listResources", arguments: {} } };
  return [
    `curl ${url} -H 'Authorization: Bearer ${key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(message)}'`,
  ].join("\n");
}
