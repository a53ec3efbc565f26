import { expect, test } from "vitest";
import { maskLines, maskText } from "../../../server/source/mask.ts";

const random = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6";

test.each([
  ["AWS", `id: AKIA${"ABCD".repeat(4)}`, "id: ‹masked AWS key›"],
  ["GitHub", `ghp_${random} and more`, "‹masked GitHub token› and more"],
  ["GitLab", `glpat-${random}`, "‹masked GitLab token›"],
  ["Slack", '"xoxb-1234567890-abc"', '"‹masked Slack token›"'],
  ["Google", `AIza${random.slice(0, 35)}`, "‹masked Google key›"],
  ["OpenAI", `sk-proj-${random}`, "‹masked API key›"],
  ["Anthropic", `sk-ant-api03-${random}`, "‹masked API key›"],
  ["Stripe", `sk_live_${random}`, "‹masked Stripe key›"],
  ["npm", `//host/:_authToken=npm_${random}`, "//host/:_authToken=‹masked npm token›"],
  ["a web token", `Bearer eyJ${random}.eyJ${random}.${random}`, "Bearer ‹masked web token›"],
  ["a URL's password", "postgres://me:hunter2@db/x", "postgres://me:‹masked password›@db/x"],
  ["a value in quotes", `{ "clientSecret": "${random}" }`, '{ "clientSecret": "‹masked secret›" }'],
  ["a value without quotes", `AWS_SECRET_ACCESS_KEY=${random}`, "AWS_SECRET_ACCESS_KEY=‹masked secret›"],
  [
    "a key on one line",
    `-----BEGIN PRIVATE KEY-----\\n${random}\\n-----END PRIVATE KEY-----`,
    "-----BEGIN PRIVATE KEY-----‹masked private key›-----END PRIVATE KEY-----",
  ],
])("masks %s", (_, text, expected) => expect(maskText(text)).toBe(expected));

test.each([
  "const token = await readTokenFromRequest(request, { header: 'authorization' });",
  'password: "please choose a good password"',
  "token: process.env.GITHUB_TOKEN_FOR_READING",
  "https://user:${PASSWORD}@host/",
  ".sk-fading-circle-with-a-very-long-class-name {}",
  'integrity: "sha512-abc"',
  "👋 ❤️\ttabs",
])("leaves ordinary text: %s", (text) => expect(maskText(text)).toBe(text));

test.each([
  ["a bidirectional override", "a\u202Eb", "a‹U+202E›b"],
  ["zero-width characters", "a\u200Bb\uFEFF", "a‹U+200B›b‹U+FEFF›"],
  ["tag characters", "hi\u{E0041}", "hi‹U+E0041›"],
  ["variation selectors that carry bytes", "x\u{E0101}\uFE01", "x‹U+E0101›‹U+FE01›"],
  ["terminal escapes", "\u001B[2J", "‹U+001B›[2J"],
  ["a lone carriage return", "a\rb", "a‹U+000D›b"],
])("shows %s", (_, text, expected) => expect(maskText(text)).toBe(expected));

const key = `one
-----BEGIN RSA PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED

${"A1b2".repeat(16)}
  ${"C3d4".repeat(16)}
x9==
-----END RSA PRIVATE KEY-----
two`.split("\n");

test("masks a private key line by line", () => {
  expect(maskLines(key, { startLine: 1, endLine: key.length })).toEqual([
    ...key.slice(0, 4),
    "‹masked private key›",
    "  ‹masked private key›",
    "‹masked private key›",
    "-----END RSA PRIVATE KEY-----",
    "two",
  ]);
});

test("masks a private key in a range that starts inside it", () => {
  expect(maskLines(key, { startLine: 6, endLine: 7 })).toEqual(["  ‹masked private key›", "‹masked private key›"]);
});

test("keeps the code of a library that writes private keys", () => {
  const code = ['const begin = "-----BEGIN PRIVATE KEY-----";', "export function encode(bytes) {", "return", "}"];
  expect(maskLines(code, { startLine: 1, endLine: 4 })).toEqual(code);
});

test.each(["a", "token=", "http://a:", "AKIA", "eyJ", "-----BEGIN PRIVATE KEY-----", "sk-A1"])(
  "takes a line of a million characters of %j",
  (piece) => expect(maskText(piece.repeat(1_000_000 / piece.length))).toContain(piece[0]),
);
