import { expect, test } from "vitest";
import { linkNote } from "../../../client/markdown/link-note.ts";

test.each([
  ["https://evil.example/?q=secret", "ext", "evil.example"],
  ["https://evil.example/", "github.com", "evil.example"],
  ["https://evil.example/", "https://github.com/acme/lib", "evil.example"],
  ["https://evil.example/", "github.com: https://evil.example/", "evil.example"],
  ["https://evil.example:8443/a", "evil.example", "evil.example:8443"],
  ["https://github.com@evil.example/a", "https://github.com@evil.example/a", "evil.example"],
  ["https://evil.example/a", "https://github.com@evil.example/a", "evil.example"],
  ["https://xn--gthub-n4a.com/a", "gіthub.com", "xn--gthub-n4a.com"],
  ["https://developer.mozilla.org/docs", "`fetch`", "developer.mozilla.org"],
  ["https://[::1]:9999/", "docs", "[::1]:9999"],
  ["javascript:alert(1)", "click", "javascript:alert(1)"],
  ["//evil.example/x", "click", "//evil.example/x"],
  ["mailto:eve@evil.example", "ann@acme.example", "mailto:eve@evil.example"],
  ["file:///etc/passwd", "readme", "file:///etc/passwd"],
  ["https://github.com/acme/lib", "https://github.com/acme/lib", undefined],
  ["https://github.com/acme/lib", "github.com/acme/lib", undefined],
  ["https://github.com/acme/lib", "GitHub.com", undefined],
  ["http://www.example.com", "www.example.com", undefined],
  ["mailto:ann@acme.example", "ann@acme.example", undefined],
  ["ftp://host/a", "ftp://host/a", undefined],
])("a link to %s with the text %s shows %s", (url, text, note) => {
  expect(linkNote(url, text)).toBe(note);
});
