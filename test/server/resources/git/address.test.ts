import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../server/errors.ts";
import { createAddressRule } from "../../../../server/resources/git/address.ts";

const signal = new AbortController().signal;

/** What a URL comes to: the addresses to pin, `any` where nothing is to be pinned, or the tag of the refusal. */
async function check(
  url: string,
  { addresses = ["140.82.121.3"], allowHosts = [] }: { addresses?: string[]; allowHosts?: string[] } = {},
): Promise<string> {
  const rule = createAddressRule({ allowHosts, lookup: async () => addresses });
  try {
    const pinned = await rule.resolve(rule.checkText(url), { signal });
    return pinned?.join(" ") ?? "any";
  } catch (error) {
    return toErrorBody(error).tag;
  }
}

test.each([
  ["http://github.com/a/b", "InvalidRequest"],
  ["ssh://git@github.com/a/b", "InvalidRequest"],
  ["git@github.com:a/b", "InvalidRequest"],
  ["file:///etc/passwd", "InvalidRequest"],
  ["ext::sh -c id", "InvalidRequest"],
  ["--upload-pack=id", "InvalidRequest"],
  ["https://user:secret@github.com/a/b", "InvalidRequest"],
  ["https://github.com", "InvalidRequest"],
  ["https://localhost/a/b", "AddressNotAllowed"],
  ["https://LOCALHOST./a/b", "AddressNotAllowed"],
  ["https://git.localhost/a/b", "AddressNotAllowed"],
  ["https://127.0.0.1/a/b", "AddressNotAllowed"],
  ["https://127.0.0.1./a/b", "AddressNotAllowed"],
  ["https://127.1/a/b", "AddressNotAllowed"],
  ["https://2130706433/a/b", "AddressNotAllowed"],
  ["https://0x7f000001/a/b", "AddressNotAllowed"],
  ["https://0177.0.0.1/a/b", "AddressNotAllowed"],
  ["https://0/a/b", "AddressNotAllowed"],
  ["https://10.1.2.3/a/b", "AddressNotAllowed"],
  ["https://172.16.0.1/a/b", "AddressNotAllowed"],
  ["https://192.168.1.1/a/b", "AddressNotAllowed"],
  ["https://169.254.169.254/latest", "AddressNotAllowed"],
  ["https://100.64.0.1/a/b", "AddressNotAllowed"],
  ["https://198.18.0.1/a/b", "AddressNotAllowed"],
  ["https://224.0.0.1/a/b", "AddressNotAllowed"],
  ["https://255.255.255.255/a/b", "AddressNotAllowed"],
  ["https://[::1]/a/b", "AddressNotAllowed"],
  ["https://[::]/a/b", "AddressNotAllowed"],
  ["https://[::ffff:10.0.0.1]/a/b", "AddressNotAllowed"],
  ["https://[::ffff:7f00:1]/a/b", "AddressNotAllowed"],
  ["https://[::127.0.0.1]/a/b", "AddressNotAllowed"],
  ["https://[64:ff9b::7f00:1]/a/b", "AddressNotAllowed"],
  ["https://[2002:7f00:1::]/a/b", "AddressNotAllowed"],
  ["https://[fe80::1]/a/b", "AddressNotAllowed"],
  ["https://[fd00::1]/a/b", "AddressNotAllowed"],
  ["https://[ff02::1]/a/b", "AddressNotAllowed"],
  ["https://140.82.121.3/a/b", "any"],
  ["https://[2606:50c0:8000::153]/a/b", "any"],
  ["https://github.com/a/b", "140.82.121.3"],
  ["https://github.com:8443/a/b", "140.82.121.3"],
])("%s: %s", async (url, expected) => {
  expect(await check(url)).toBe(expected);
});

test.each([
  [["10.0.0.1"], "AddressNotAllowed"],
  [["::1"], "AddressNotAllowed"],
  [["::ffff:192.168.0.1"], "AddressNotAllowed"],
  [["140.82.121.3", "127.0.0.1"], "AddressNotAllowed"],
  [["140.82.121.3", "2606:50c0:8000::153"], "140.82.121.3 2606:50c0:8000::153"],
  [["not an address"], "AddressNotAllowed"],
  [[], "RepositoryFailed"],
])("a name that means %j: %s", async (addresses, expected) => {
  expect(await check("https://git.example/a/b", { addresses })).toBe(expected);
});

test("no literal private address is allowed", async () => {
  const privateNetworks = [
    /^(0|10|127)\./,
    /^192\.168\./,
    /^169\.254\./,
    /^172\.(1[6-9]|2\d|3[01])\./,
    /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  ];
  const byte = fc.nat({ max: 255 });
  const first = fc.constantFrom(
    [10],
    [127],
    [192, 168],
    [169, 254],
    [172, 16],
    [172, 31],
    [172, 32],
    [100, 64],
    [8, 8],
  );
  const addresses = fc
    .tuple(first, byte, byte, byte)
    .map(([start, ...rest]) => [...start, ...rest].slice(0, 4).join("."));
  await fc.assert(
    fc.asyncProperty(addresses, async (address) => {
      const isPrivate = privateNetworks.some((network) => network.test(address));
      const expected = isPrivate ? "AddressNotAllowed" : "any";
      expect(await check(`https://${address}/a/b`)).toBe(expected);
      expect(await check(`https://[::ffff:${address}]/a/b`)).toBe(expected);
    }),
  );
});

describe("allowHosts", () => {
  test.each([
    ["https://git.corp/a/b", "any"],
    ["https://GIT.corp./a/b", "any"],
    ["https://git.corp:8443/a/b", "any"],
    ["https://10.0.0.5/a/b", "any"],
    ["https://[fd00::1]/a/b", "any"],
    ["https://one.corp:8443/a/b", "any"],
    ["https://[fd00::2]:8443/a/b", "any"],
    ["https://one.corp/a/b", "AddressNotAllowed"],
    ["https://one.corp:8444/a/b", "AddressNotAllowed"],
    ["https://[fd00::2]/a/b", "AddressNotAllowed"],
    ["https://other.git.corp/a/b", "AddressNotAllowed"],
    ["https://corp/a/b", "AddressNotAllowed"],
    ["https://git.corp.evil.example/a/b", "AddressNotAllowed"],
    ["https://10.0.0.6/a/b", "AddressNotAllowed"],
    ["https://localhost/a/b", "AddressNotAllowed"],
  ])("%s: %s", async (url, expected) => {
    const allowHosts = ["Git.Corp", "10.0.0.5", "[fd00::1]", "one.corp:8443", "[fd00::2]:8443"];
    expect(await check(url, { addresses: ["10.0.0.1"], allowHosts })).toBe(expected);
  });
});

test("a refusal has a hint, and does not tell the address", () => {
  const rule = createAddressRule({ allowHosts: [], lookup: async () => ["10.0.0.1"] });
  const error = rule.resolve(new URL("https://git.corp/a/b"), { signal }).catch(toErrorBody);
  return expect(error).resolves.toEqual({
    error: "git.corp has no public address",
    tag: "AddressNotAllowed",
    hint: 'if it is a git host that you trust, add "git.corp" to allowHosts in the global configuration',
  });
});

describe("where the network is hidden, a private name fails as an unknown one", () => {
  const failed = (code: string) => async () => {
    throw Object.assign(new Error(`getaddrinfo ${code} wiki.corp`), { code });
  };
  test.each([
    ["private", async () => ["10.0.0.1"]],
    ["partly private", async () => ["140.82.121.3", "::1"]],
    ["unknown", failed("ENOTFOUND")],
    ["unknown for now", failed("EAI_AGAIN")],
    ["without an address", async () => []],
  ])("%s", async (_what, lookup) => {
    const rule = createAddressRule({ allowHosts: ["git.corp"], lookup, hidesNetwork: true });
    const error = await rule.resolve(new URL("https://wiki.corp/a/b"), { signal }).catch(toErrorBody);
    expect(error).toEqual({
      error: "wiki.corp could not be reached: no public address of it is known",
      tag: "AddressNotAllowed",
      hint: "check the URL; the operator of the service can allow private hosts with allowHosts",
    });
  });
});

test("a name is looked up once, and not again between the check and the use", async () => {
  const answers = [["140.82.121.3"], ["127.0.0.1"]];
  const rule = createAddressRule({ allowHosts: [], lookup: async () => answers.shift() ?? [] });
  expect(await rule.resolve(new URL("https://rebind.example/a/b"), { signal })).toEqual(["140.82.121.3"]);
  expect(answers).toHaveLength(1);
});

test("a lookup without an answer ends with the question", async () => {
  const cancelled = new AbortController();
  const rule = createAddressRule({ allowHosts: [], lookup: () => new Promise(() => {}) });
  const resolving = rule.resolve(new URL("https://slow.example/a/b"), { signal: cancelled.signal });
  cancelled.abort();
  await expect(resolving).rejects.toThrow("aborted");
});
