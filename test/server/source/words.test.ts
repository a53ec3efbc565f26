import { describe, expect, test } from "vitest";
import { contentWords, splitIdentifier, stem, writtenNames } from "../../../server/source/words.ts";

describe("splitIdentifier", () => {
  test.each([
    ["parseURLPath", "parse url path"],
    ["parse_url_path", "parse url path"],
    ["XMLHttpRequest", "xml http request"],
    ["HTTP2Server", "http2 server"],
    ["utf8", "utf8"],
    ["v1_2", "v1 2"],
    ["$ZodEmail", "zod email"],
    ["größeÄndern", "größe ändern"],
    ["__", ""],
  ])("%s is %s", (identifier, parts) => {
    expect(splitIdentifier(identifier).join(" ")).toBe(parts);
  });
});

describe("stem", () => {
  test.each([
    "parse parses parsed parsing",
    "retry retries retried retrying",
    "validate validates validated validating validation validator",
    "match matches matched matching",
    "stop stops stopped stopping",
    "class classes",
    "create creates created creating creation",
    "cookie cookies",
    "colour color colours coloured colored",
    "licence license licences licensed licensing",
    "initialise initialize initialised initialising initializing",
    "cancelled canceled cancelling",
    "build builds building built",
    "send sending sent",
    "choose choosing chose chosen",
    "write writing written",
    "throw throwing threw thrown",
    "marshal marshalled marshaling marshalling",
    "specialise specialize specialised specializing",
    "grey gray",
    "movie movies",
    "query queries queried",
    "alias aliases",
    "add adds added adding",
  ])("is one for %s", (forms) => {
    expect(new Set(forms.split(" ").map(stem)).size).toBe(1);
  });

  test.each(["string state", "file fill", "status state", "less list"])("keeps %s apart", (words) => {
    expect(new Set(words.split(" ").map(stem)).size).toBe(2);
  });

  test("keeps short words and numbers", () => {
    expect(["is", "has", "v1", "80"].map(stem)).toEqual(["is", "has", "v1", "80"]);
  });
});

describe("contentWords", () => {
  test.each([
    ["How does the router match a path?", "router match path"],
    ["what does app.use do", "app use"],
    ["what is this?", "what is this"],
    ["is an E-Mail checked?", "Mail checked"],
    ["", ""],
  ])("of %j are %j", (question, words) => {
    expect(contentWords(question).join(" ")).toBe(words);
  });
});

describe("writtenNames", () => {
  test.each([
    ["where is parseUrl defined", "parseUrl"],
    ["what does read_file return", "read_file"],
    ["what does next() do", "next"],
    ["why does `app.use` take a path", "app use"],
    ["how does Layer#match work", "match"],
    ["what is in package.json and why", ""],
    ["How does routing work?", ""],
  ])("of %j are %j", (question, names) => {
    expect(writtenNames(question).join(" ")).toBe(names);
  });
});

test.each([
  ["x".repeat(500_000), ""],
  [`${"x".repeat(500_000)}.y`, "y"],
])("the time grows with the length of a word, not with its square: %#", (text, names) => {
  expect(writtenNames(text).join(" ")).toBe(names);
});
