import { describe, expect, test } from "vitest";
import { hostedSnippets } from "../../../cli/agent-settings/hosted-snippets.ts";

const snippets = hostedSnippets({ url: "https://citewell.example/api/mcp", key: "cw_key" });
const textOf = (name: string) => snippets.find(({ client }) => client === name)?.text ?? "";

describe("settings of clients for a key of a hosted service", () => {
  test("each has the address and the key, for a file of the client", () => {
    expect(snippets.length).toBeGreaterThan(10);
    for (const { text, file } of snippets) {
      expect(text).toContain("https://citewell.example/api/mcp?results=text");
      expect(text).toContain("Bearer cw_key");
      expect(file).not.toMatch(/^\//);
    }
  });

  test("Claude Code takes JSON", () => {
    expect(JSON.parse(textOf("Claude Code"))).toEqual({
      mcpServers: {
        citewell: {
          type: "http",
          url: "https://citewell.example/api/mcp?results=text",
          headers: { Authorization: "Bearer cw_key" },
        },
      },
    });
  });

  test("Codex takes TOML", () => {
    expect(textOf("Codex")).toMatchInlineSnapshot(`
      "[mcp_servers.citewell]
      url = "https://citewell.example/api/mcp?results=text"
      http_headers = { Authorization = "Bearer cw_key" }
      "
    `);
  });

  test("Goose takes YAML", () => {
    expect(textOf("Goose")).toMatchInlineSnapshot(`
      "extensions:
        citewell:
          enabled: true
          type: "streamable_http"
          name: "citewell"
          uri: "https://citewell.example/api/mcp?results=text"
          headers: {"Authorization":"Bearer cw_key"}
          timeout: 300
      "
    `);
  });
});
