import { expect, test } from "vitest";
import { chatHtml } from "../../../extension/features/chat/html.ts";

const page = {
  nonce: "bm9uY2U",
  cspSource: "https://*.vscode-cdn.test",
  scriptUri: "https://file.vscode-cdn.test/dist/webview.js",
  styleUri: "https://file.vscode-cdn.test/dist/webview.css",
  language: "pt-br",
  title: "Citewell Chat",
  translations: {},
};

/** Elements with their attributes, as far as this page has them. */
function elementsOf(html: string) {
  return [...html.matchAll(/<([a-z]+)((?:\s+[a-z-]+="[^"]*")*)\s*\/?>/g)].map(([, name, attributes = ""]) => ({
    name,
    ...Object.fromEntries(
      [...attributes.matchAll(/([a-z-]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]),
    ),
  }));
}

function policyOf(html: string): Record<string, string> {
  const content = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? "";
  return Object.fromEntries(
    content.split("; ").map((directive) => {
      const [name = "", ...sources] = directive.split(" ");
      return [name, sources.join(" ")];
    }),
  );
}

test("the page may load its own script, styles and pictures, and nothing else", () => {
  expect(policyOf(chatHtml(page))).toEqual({
    "default-src": "'none'",
    "script-src": "'nonce-bm9uY2U' https://*.vscode-cdn.test",
    "style-src": "https://*.vscode-cdn.test",
    "font-src": "https://*.vscode-cdn.test",
    "img-src": "https://*.vscode-cdn.test",
    "connect-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
  });
});

test("every script has the nonce or is data; there is no inline style and no handler", () => {
  const elements = elementsOf(chatHtml(page));
  expect(elements.filter(({ name }) => name === "script")).toEqual([
    { name: "script", type: "application/json", id: "l10n" },
    { name: "script", type: "module", nonce: "bm9uY2U", src: page.scriptUri },
  ]);
  expect(
    elements.filter((element) => "style" in element || Object.keys(element).some((key) => key.startsWith("on"))),
  ).toEqual([]);
  expect(elements[0]).toMatchObject({ name: "html", lang: "pt-br" });
});

test("a translation cannot end its script", () => {
  const html = chatHtml({ ...page, translations: { a: "</script><script>alert(1)</script>" } });
  expect(html).not.toContain("<script>alert");
});

test("what comes from the editor cannot leave its attribute", () => {
  const html = chatHtml({ ...page, language: 'en" onload="alert(1)', title: "<b>" });
  expect(html).toContain('lang="en&quot; onload=&quot;alert(1)"');
  expect(html).toContain("<title>&lt;b></title>");
});
