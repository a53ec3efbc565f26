import { once } from "node:events";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { createFetch } from "../../../../../server/lib/fetch.ts";
import { createPublicLookup } from "../../../../../server/lib/public-lookup.ts";
import { defaultRegistry } from "../../../../../server/resources/packages/npm/default-registry.ts";
import { npmAdvice } from "../../../../../server/resources/packages/npm/registry.ts";
import { createRegistryClient } from "../../../../../server/resources/packages/registry-client.ts";
import { temporaryFolder } from "../../../../support/folder.ts";
import { type NpmRegistry, packTarball, sri, startNpmRegistry } from "../../../../support/npm-registry.ts";
import type { Intercept } from "../../../../support/registry-server.ts";
import { npmWorkspace } from "../../../../support/npm-workspace.ts";

/** Opens `pkg` and returns its label, or the error's tag, text and hint, and the files left by a failure. */
async function outcome(npmrc: string): Promise<string> {
  await using workspace = await npmWorkspace({ npmrc });
  try {
    await using snapshot = await workspace.open();
    return snapshot.info.label;
  } catch (error) {
    const { tag, error: message, hint } = toErrorBody(error);
    return [`${tag}: ${message}; ${hint}`, ...(await workspace.kept())]
      .join("\nkept: ")
      .replaceAll(/127\.0\.0\.1:\d+/g, "<host>");
  }
}

const authorizations = (registry: NpmRegistry) => registry.requests.map(({ headers }) => headers.authorization);

describe("a token", () => {
  test("is sent with every request to its own host", async () => {
    await using registry = await startNpmRegistry();
    registry.publish({ name: "pkg", version: "1.0.0" });
    registry.requireAuthorization("Bearer t0ken");
    expect(await outcome(`registry=${registry.url}\n${registry.place}:_authToken=t0ken`)).toBe(
      "pkg 1.0.0 (latest in the registry, fetched just now)",
    );
    expect(authorizations(registry)).toEqual(Array(3).fill("Bearer t0ken"));
  });

  test("is not sent below another path of the host", async () => {
    await using registry = await startNpmRegistry({ folder: "/team/" });
    registry.publish({ name: "pkg", version: "1.0.0" });
    await outcome(`registry=${registry.url}\n${registry.place.replace("team", "other")}:_authToken=t0ken`);
    expect(authorizations(registry)).toEqual(Array(3).fill(undefined));
  });

  test("is not sent on a redirect to another host", async () => {
    await using registry = await startNpmRegistry();
    await using mirror = await startNpmRegistry();
    for (const host of [registry, mirror]) host.publish({ name: "pkg", version: "1.0.0" });
    registry.intercept(redirectTo((path) => new URL(path, mirror.url).href));
    expect(await outcome(`registry=${registry.url}\n${registry.place}:_authToken=t0ken`)).toBe(
      "pkg 1.0.0 (latest in the registry, fetched just now)",
    );
    expect(authorizations(registry)).toEqual(["Bearer t0ken", "Bearer t0ken"]);
    expect(mirror.requests.map(({ path }) => path)).toEqual(["/pkg", "/pkg", "/pkg/-/pkg-1.0.0.tgz"]);
    expect(mirror.requests.every(({ headers }) => !JSON.stringify(headers).includes("t0ken"))).toBe(true);
  });

  test("is not sent to the tarball's host in the metadata, which gets its own", async () => {
    await using registry = await startNpmRegistry();
    await using files = await startNpmRegistry();
    files.publish({ name: "pkg", version: "1.0.0" });
    const tarball = `${files.url}pkg/-/pkg-1.0.0.tgz`;
    registry.publish({ name: "pkg", version: "1.0.0", dist: { tarball } });
    const npmrc = `registry=${registry.url}\n${registry.place}:_authToken=t0ken\n${files.place}:_authToken=files`;
    expect(await outcome(npmrc)).toBe("pkg 1.0.0 (latest in the registry, fetched just now)");
    expect(authorizations(files)).toEqual(["Bearer files"]);
  });

  test("is missing or refused: sign in", async () => {
    await using registry = await startNpmRegistry();
    registry.requireAuthorization("Bearer t0ken");
    const said = "RegistryFailed: <host> refuses pkg (401); sign in: npm login --registry=http://<host>";
    expect(await outcome(`registry=${registry.url}`)).toBe(said);
    expect(await outcome(`registry=${registry.url}\n${registry.place}:_authToken=s3cret`)).toBe(said);
  });
});

describe("a private address that a registry of a service names", () => {
  const refusal = "the registry sent an address of the package that is not a public one";

  test.each(["tarball", "redirect"])("is not contacted: %s", async (way) => {
    await using registry = await startNpmRegistry();
    await using hidden = await startNpmRegistry();
    hidden.publish({ name: "pkg", version: "1.0.0" });
    const elsewhere = (path: string) => new URL(path, hidden.url).href;
    const tarball = elsewhere("pkg/-/pkg-1.0.0.tgz");
    registry.publish({ name: "pkg", version: "1.0.0", ...(way === "tarball" ? { dist: { tarball } } : {}) });
    if (way === "redirect") registry.intercept(redirectTo(elsewhere));
    const env = () => ({ npm_config_registry: registry.url });
    await using workspace = await npmWorkspace({ env, isAnonymous: true });
    await expect(workspace.open()).rejects.toMatchObject({ tag: "RegistryFailed", message: refusal });
    expect(hidden.requests).toEqual([]);
  });

  test.each([
    ["a private name", ["127.0.0.1"]],
    ["an unknown name", []],
  ])("is not contacted, and looks like an unknown host: %s", async (_what, addresses) => {
    await using hidden = await startNpmRegistry();
    hidden.publish({ name: "pkg", version: "1.0.0" });
    const tarball = `http://files.corp:${new URL(hidden.url).port}/pkg/-/pkg-1.0.0.tgz`;
    const found = addresses.map((address) => ({ address, family: 4 }));
    const lookup = createPublicLookup((_host, _options, callback) => callback(null, found));
    const registry = createRegistryClient({
      url: "https://registry.example/",
      config: { mayRequest: () => true, requiresPublic: true, authorizationFor: () => undefined },
      advice: npmAdvice,
      fetch: () => Promise.reject(new Error("this is not the registry's own host")),
      fetchElsewhere: createFetch({ lookup }),
    });
    await using folder = await temporaryFolder();
    const options = { integrity: "sha512-x", signal: new AbortController().signal, onBytes: () => {} };
    const file = path.join(folder.path, "x.tgz");
    const error = await registry.download(new URL(tarball), file, options).catch(toErrorBody);
    expect(error).toMatchObject({
      tag: "RegistryFailed",
      error: `${new URL(tarball).host} could not be reached: no public address of it is known`,
    });
    expect(hidden.requests).toEqual([]);
  });

  test("does not include the registry's own host", async () => {
    await using registry = await startNpmRegistry();
    registry.publish({ name: "pkg", version: "1.0.0" });
    await using workspace = await npmWorkspace({
      env: () => ({ npm_config_registry: registry.url }),
      isAnonymous: true,
    });
    await using snapshot = await workspace.open();
    expect(snapshot.info.label).toContain("pkg 1.0.0");
  });
});

test("a registry that cannot be reached is reported without its address", async () => {
  const registry = await startNpmRegistry();
  await registry.stop();
  const { port } = new URL(registry.url);
  expect(await outcome(`registry=http://localhost:${port}/`)).toMatch(
    /^RegistryFailed: localhost:\d+ could not be reached: (connect )?ECONNREFUSED; check the network/,
  );
});

describe("an unusable answer", () => {
  test.each<[string, Intercept, string]>([
    [
      "a page in its place",
      answer(200, "<html>Sign in</html>"),
      "RegistryFailed: <host> did not answer with the metadata of pkg; see whether a proxy or a sign-in page answers in the registry's place",
    ],
    [
      "another JSON",
      answer(200, "[]"),
      "RegistryFailed: <host> did not answer with the metadata of pkg; see whether a proxy or a sign-in page answers in the registry's place",
    ],
    [
      "an error of the server",
      answer(503, ""),
      "RegistryFailed: <host> answered 503 for pkg; try again later, or see: npm config get registry",
    ],
    [
      "limits the rate of requests",
      answer(429, ""),
      "RegistryFailed: <host> limits the rate of requests (429); wait a while, then try again",
    ],
    [
      "forbidden",
      answer(403, ""),
      "RegistryFailed: <host> refuses pkg (403); sign in: npm login --registry=http://<host>",
    ],
    [
      "redirects in circles",
      redirectTo((path) => path),
      "RegistryFailed: <host> redirects in circles; see: npm config get registry",
    ],
    [
      "a redirect to plain HTTP elsewhere",
      redirectTo(() => "http://plain.example/"),
      "RegistryFailed: http://plain.example is not reached over https; the registry sent this address: ask its operator",
    ],
    [
      "a redirect to a file",
      redirectTo(() => "file:///etc/passwd"),
      "RegistryFailed: file:// is not reached over https; the registry sent this address: ask its operator",
    ],
    [
      "a redirect to no address",
      redirectTo(() => "http://["),
      "RegistryFailed: <host> redirects to no address; the registry sent this address: ask its operator",
    ],
    [
      "a connection that is cut",
      cut,
      "RegistryFailed: <host> could not be reached: other side closed; check the network, the proxy, and: npm config get registry",
    ],
  ])("%s", async (_title, intercept, expected) => {
    await using registry = await startNpmRegistry();
    registry.intercept(intercept);
    expect(await outcome(`registry=${registry.url}`)).toBe(expected);
  });

  test.each<[string, Intercept]>([
    ["nothing at all", () => true],
    ["headers, and nothing more", (_request, response) => sent(response.writeHead(200).write("{"))],
  ])("%s", async (_title, intercept) => {
    await using registry = await startNpmRegistry();
    registry.intercept(intercept);
    expect(await outcome(`registry=${registry.url}\nfetch-timeout=50`)).toMatch(
      /^RegistryTimeout: <host> did not answer in time;/,
    );
  });

  test("metadata without an end", async () => {
    await using registry = await startNpmRegistry();
    registry.intercept((_request, response) => {
      void pour(response);
      return true;
    });
    expect(await outcome(`registry=${registry.url}`)).toMatch(/^PackageUnreadable: <host> sends more than 100 MB/);
  });
});

describe("a tarball", () => {
  const notItsBytes = /^IntegrityMismatch: <host>\/pkg\/-\/pkg-1\.0\.0\.tgz does not match its checksum;/;
  const bytes = packTarball({ "package.json": "{}" });

  test.each<[string, object, RegExp]>([
    ["of other bytes", { integrity: sri("sha512", Buffer.from("other")) }, notItsBytes],
    ["of other bytes, by the older checksum", { integrity: undefined, shasum: "0".repeat(40) }, notItsBytes],
    [
      "whose strongest checksum is wrong, though a weaker one is right",
      { integrity: `${sri("sha1", bytes)} ${sri("sha512", Buffer.from("other"))}` },
      notItsBytes,
    ],
    ["with one of two strong checksums", { integrity: `sha512-AAAA ${sri("sha512", bytes)}` }, /^pkg 1\.0\.0/],
    ["with the older checksum alone", { integrity: undefined }, /^pkg 1\.0\.0/],
    ["without a checksum", { integrity: undefined, shasum: undefined }, /^RegistryFailed: pkg 1\.0\.0 has no checksum/],
    ["at no address", { tarball: "nowhere" }, /^RegistryFailed: the tarball's address is not a URL/],
    [
      "at an address over plain HTTP",
      { tarball: "http://plain.example/pkg.tgz" },
      /^RegistryFailed: http:\/\/plain\.example is not/,
    ],
  ])("%s", async (_title, dist, expected) => {
    await using registry = await startNpmRegistry();
    registry.publish({ name: "pkg", version: "1.0.0", tarball: bytes, dist: { ...dist } });
    expect(await outcome(`registry=${registry.url}`)).toMatch(expected);
  });

  test("that does not exist", async () => {
    await using registry = await startNpmRegistry();
    registry.publish({ name: "pkg", version: "1.0.0", dist: { tarball: `${registry.url}gone.tgz` } });
    expect(await outcome(`registry=${registry.url}`)).toMatch(
      /^RegistryFailed: <host> answered 404 for <host>\/gone\.tgz/,
    );
  });

  test("that is truncated", async () => {
    await using registry = await startNpmRegistry();
    registry.publish({ name: "pkg", version: "1.0.0" });
    registry.intercept((request, response) => {
      if (request.url?.endsWith(".tgz") !== true) return false;
      response.writeHead(200, { "content-length": 1000 });
      response.write("some", () => response.destroy());
      return true;
    });
    expect(await outcome(`registry=${registry.url}`)).toMatch(/^RegistryFailed: <host> could not be reached/);
  });

  test("at npm's own host comes from the configured registry, as mirrors expect", async () => {
    await using registry = await startNpmRegistry();
    const tarball = `${defaultRegistry}pkg/-/pkg-1.0.0.tgz`;
    registry.publish({ name: "pkg", version: "1.0.0", dist: { tarball } });
    expect(await outcome(`registry=${registry.url}`)).toBe("pkg 1.0.0 (latest in the registry, fetched just now)");
  });

  test("that is cancelled leaves nothing, and its connection ends", async () => {
    await using registry = await startNpmRegistry();
    registry.publish({ name: "pkg", version: "1.0.0" });
    const controller = new AbortController();
    const closed: Promise<unknown>[] = [];
    registry.intercept((request, response) => {
      if (request.url?.endsWith(".tgz") !== true) return false;
      closed.push(once(response, "close"));
      response.writeHead(200, { "content-length": 1000 });
      response.write("some", () => controller.abort());
      return true;
    });
    await using workspace = await npmWorkspace({ npmrc: `registry=${registry.url}` });
    const opening = workspace.open({}, { signal: controller.signal });
    await expect(opening).rejects.toThrow(/abort/i);
    expect(await workspace.kept()).toEqual([]);
    await closed[0];
  });
});

test("a download reports progress", async () => {
  await using registry = await startNpmRegistry();
  registry.publish({ name: "pkg", version: "1.0.0" });
  await using workspace = await npmWorkspace({ npmrc: `registry=${registry.url}` });
  const reported: string[] = [];
  await using snapshot = await workspace.npm.open(
    { name: "pkg", package: "pkg" },
    {
      isOneOff: false,
      refresh: "daily",
      signal: new AbortController().signal,
      onProgress: ({ phase, message, fraction }) => reported.push(`${phase} ${message} ${fraction ?? ""}`.trim()),
    },
  );
  expect(snapshot.revision).toMatch(/^1\.0\.0\+/);
  expect(reported).toContain("fetch downloading pkg 1.0.0");
  expect(reported).toContain("fetch downloading pkg 1.0.0 1");
});

function answer(status: number, body: string): Intercept {
  return (_request, response) => sent(response.writeHead(status).end(body));
}

function redirectTo(location: (path: string) => string): Intercept {
  return (request, response) => sent(response.writeHead(302, { location: location(request.url ?? "") }).end());
}

const cut: Intercept = (request) => sent(request.socket.destroy());

function sent(_done: unknown): true {
  return true;
}

/** Writes until the other side has had enough. */
async function pour(response: ServerResponse): Promise<void> {
  const chunk = Buffer.alloc(4 * 1024 * 1024, " ");
  const closed = once(response, "close");
  response.on("error", () => {});
  while (!response.closed && !response.destroyed) {
    if (!response.write(chunk)) await Promise.race([once(response, "drain"), closed]);
  }
}
