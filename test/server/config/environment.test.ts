import path from "node:path";
import { describe, expect, test } from "vitest";
import type { ConfigLocation } from "../../../server/config/config.ts";
import { gitEnvironment, readNetworkSettings } from "../../../server/config/environment.ts";
import { temporaryFolder } from "../../support/folder.ts";

const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

function at(cwd: string, env: ConfigLocation["env"]): ConfigLocation {
  return { cwd, env, platform: "linux", homeDirectory: cwd };
}

describe("proxies", () => {
  test.each([
    ["none", {}, {}],
    [
      "upper case",
      { HTTPS_PROXY: "http://p:1", HTTP_PROXY: "http://p:2", NO_PROXY: "a,b" },
      { httpsProxy: "http://p:1", httpProxy: "http://p:2", noProxy: "a,b" },
    ],
    [
      "lower case before upper case",
      { https_proxy: "http://p:1", HTTPS_PROXY: "http://q:1" },
      { httpsProxy: "http://p:1" },
    ],
    ["an empty one counts as none", { https_proxy: "", HTTPS_PROXY: "", NO_PROXY: "" }, {}],
  ])("%s", async (_, env, expected) => {
    const { httpsProxy, httpProxy, noProxy } = await readNetworkSettings(at("/", env));
    expect({ httpsProxy, httpProxy, noProxy }).toEqual({
      httpsProxy: undefined,
      httpProxy: undefined,
      noProxy: undefined,
      ...expected,
    });
  });
});

describe("certificates", () => {
  test("from both variables are read, relative to the working directory, without duplicates", async () => {
    await using folder = await temporaryFolder(
      `//- a.pem\n${certificate}//- b.pem\n${certificate.replace("AAAA", "BBBB")}`,
    );
    const both = { NODE_EXTRA_CA_CERTS: "a.pem", SSL_CERT_FILE: path.join(folder.path, "b.pem") };
    const { ca, warnings } = await readNetworkSettings(at(folder.path, both));
    expect(ca.slice(0, 2)).toEqual([certificate, certificate.replace("AAAA", "BBBB")]);
    expect(warnings).toEqual([]);
    const once = await readNetworkSettings(at(folder.path, { NODE_EXTRA_CA_CERTS: "a.pem", SSL_CERT_FILE: "a.pem" }));
    expect(once.ca.filter((text) => text === certificate)).toHaveLength(1);
  });

  test("in a missing or empty file cause a warning, not a failure", async () => {
    await using folder = await temporaryFolder("//- a.pem\nnothing\n");
    const env = { NODE_EXTRA_CA_CERTS: "gone.pem", SSL_CERT_FILE: "a.pem" };
    const { warnings } = await readNetworkSettings(at(folder.path, env));
    expect(warnings).toEqual([
      expect.stringContaining("the certificate file gone.pem could not be read: ENOENT"),
      "the certificate file a.pem holds no certificate in PEM form",
    ]);
  });
});

describe("git's environment", () => {
  test("is the user's, without unset variables", () => {
    expect(gitEnvironment({ env: { PATH: "/bin", https_proxy: "http://p:1", HOME: undefined } })).toEqual({
      PATH: "/bin",
      https_proxy: "http://p:1",
    });
  });

  test("has git's own variable for SSL_CERT_FILE, unless the user set it", () => {
    expect(gitEnvironment({ env: { SSL_CERT_FILE: "/a.pem" } })["GIT_SSL_CAINFO"]).toBe("/a.pem");
    const own = { SSL_CERT_FILE: "/a.pem", GIT_SSL_CAINFO: "/b.pem" };
    expect(gitEnvironment({ env: own })["GIT_SSL_CAINFO"]).toBe("/b.pem");
  });
});
