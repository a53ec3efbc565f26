import type { LookupAddress } from "node:dns";
import { describe, expect, test } from "vitest";
import { createPublicLookup, type LookupAll } from "../../../server/lib/public-lookup.ts";

const unknown = "ENOTFOUND: no public address of it is known";

const toFound = (addresses: readonly string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

/** What a connection would use: its addresses, or the code and message of the failure. */
async function resolve(lookup: LookupAll, { all = true } = {}): Promise<unknown> {
  return new Promise((done) => {
    createPublicLookup(lookup)("files.example", { all }, (error, found, family) => {
      if (error !== null) done(`${error.code}: ${error.message}`);
      else done(all ? found : [found, family]);
    });
  });
}

test("finds the addresses of a public host", async () => {
  const found = toFound(["140.82.121.3", "2606:50c0:8000::153"]);
  const lookup: LookupAll = (_host, _options, callback) => callback(null, found);
  expect(await resolve(lookup)).toEqual(found);
  expect(await resolve(lookup, { all: false })).toEqual(["140.82.121.3", 4]);
});

describe("a private host fails as an unknown one", () => {
  test.each([[["10.0.0.1"]], [["140.82.121.3", "::1"]], [["::ffff:127.0.0.1"]], [["169.254.169.254"]], [[]]])(
    "%j",
    async (addresses) => {
      expect(await resolve((_host, _options, callback) => callback(null, toFound(addresses)))).toBe(unknown);
    },
  );

  test.each(["ENOTFOUND", "EAI_AGAIN"])("%s", async (code) => {
    const error = Object.assign(new Error(`getaddrinfo ${code} files.example`), { code });
    expect(await resolve((_host, _options, callback) => callback(error, []))).toBe(unknown);
  });
});

test("each connection checks the addresses that it uses, so a name that changes its address is refused", async () => {
  const answers = [["140.82.121.3"], ["127.0.0.1"]];
  const lookup: LookupAll = (_host, _options, callback) => callback(null, toFound(answers.shift() ?? []));
  expect(await resolve(lookup)).toEqual(toFound(["140.82.121.3"]));
  expect(await resolve(lookup)).toBe(unknown);
});
