import { expect, test } from "vitest";
import { nearestField } from "../../../server/protocol/nearest-field.ts";

const ask = ["question", "resources", "scope", "quiet", "thread", "replacesSince", "progress", "model"];
const search = [
  "query",
  "resources",
  "limit",
  "mode",
  "offset",
  "kinds",
  "glob",
  "ignoreCase",
  "contextLines",
  "counts",
];
const git = ["type", "name", "url", "branch", "searchPath", "searchPaths", "specialNotes"];

test.each([
  ["resource", ask, "resources"],
  ["Resources", ask, "resources"],
  ["resource_names", ask, "resources"],
  ["resourceNames", ask, "resources"],
  ["resorces", ask, "resources"],
  ["name", ask, "resources"],
  ["query", ask, "question"],
  ["qustion", ask, "question"],
  ["prompt", ask, "question"],
  ["mode", ask, "model"],
  ["question", search, "query"],
  ["max_results", search, "limit"],
  ["ignore_case", search, "ignoreCase"],
  ["context", search, "contextLines"],
  ["kind", search, "kinds"],
  ["name", ["resource"], "resource"],
  ["search_path", git, "searchPath"],
  ["paths", git, "searchPaths"],
  ["notes", git, "specialNotes"],
  ["uri", git, "url"],
  ["repository", git, "url"],
  ["file", ["resource", "path", "startLine"], "path"],
  ["start_line", ["resource", "path", "startLine"], "startLine"],
  ["query", ["pattern", "regex", "ignoreCase", "glob"], "pattern"],
  ["path", ["pattern", "regex", "ignoreCase", "glob"], "glob"],
  ["case_insensitive", ["pattern", "regex", "ignoreCase", "glob"], "ignoreCase"],
  ["symbol", ["name", "resource"], "name"],
  ["count_only", search, "counts"],
  ["baseUrl", ["baseURL", "name"], "baseURL"],
])("%s of %j is nearly %s", (wanted, fields, expected) => {
  expect(nearestField(wanted, fields)).toBe(expected);
});

test.each(["foo", "x", "extra", "stream", "language", "temperature", "clientVersion", "date", "", "__proto__"])(
  "%j is nearly none of a question's fields",
  (wanted) => expect(nearestField(wanted, ask)).toBeUndefined(),
);
