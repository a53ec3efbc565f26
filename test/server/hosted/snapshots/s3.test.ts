import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BlobStore } from "../../../../server/hosted/snapshots/blobs.ts";
import { openSharedStore, type SharedStoreOptions } from "../../../../server/hosted/snapshots/shared-store.ts";
import { emptySha256, signRequest } from "../../../../server/hosted/snapshots/s3-signature.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { startGitServer } from "../../../support/git-server.ts";
import { startService } from "../../../support/hosted.ts";
import { type S3Server, startS3Server } from "../../../support/s3-server.ts";
import { postgresEngines } from "../../../support/stores.ts";

const { signal } = new AbortController();

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
});
afterAll(() => s3[Symbol.asyncDispose]());

function open(
  place: string,
  env: Record<string, string> = {},
  options: Pick<SharedStoreOptions, "idleTimeoutMs"> = {},
): BlobStore {
  const { accessKeyId, secretAccessKey } = s3.keys;
  const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  const settings = { ...keys, AWS_ENDPOINT_URL: s3.endpoint, ...env };
  return openSharedStore(place, { cwd: "/", env: settings, network: {}, ...options });
}

// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, "Examples". s3rver does not check
// signatures of this version.
test.each([
  {
    request: { method: "GET", path: "/test.txt", headers: { range: "bytes=0-9" }, bodySha256: emptySha256 },
    names: "host;range;x-amz-content-sha256;x-amz-date",
    signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  },
  {
    request: {
      method: "PUT",
      path: "/test%24file.text",
      headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
      bodySha256: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
    },
    names: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
    signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  },
  {
    request: { method: "GET", path: "/?max-keys=2&prefix=J", headers: {}, bodySha256: emptySha256 },
    names: "host;x-amz-content-sha256;x-amz-date",
    signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  },
])("$request.method $request.path is signed as in the documentation of S3", ({ request, names, signature }) => {
  const { path: place, ...rest } = request;
  const { authorization } = signRequest(
    { ...rest, url: new URL(place, "https://examplebucket.s3.amazonaws.com") },
    {
      accessKeyId: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      region: "us-east-1",
    },
    new Date("2013-05-24T00:00:00Z"),
  );
  expect(authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=${names},Signature=${signature}`,
  );
});

/** A server on loopback in place of an object store. */
async function listen(answer: RequestListener): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

describe("an object store", () => {
  test.each(["", "/", "/nodes", "/nodes (1)/é/"])("stores, copies and removes blobs below %j", async (prefix) => {
    const blobs = open(`s3://${s3.bucket}${prefix}`);
    await using folder = await temporaryFolder();
    const [mine, copy] = [path.join(folder.path, "mine"), path.join(folder.path, "copy")];
    await writeFile(mine, Buffer.alloc(3_000_000, "pack"));
    expect([await blobs.has("a.1.tgz"), await blobs.get("a.1.tgz", copy, { signal })]).toEqual([false, false]);
    await blobs.put("a.1.tgz", mine, { signal });
    expect([await blobs.has("a.1.tgz"), await blobs.get("a.1.tgz", copy, { signal })]).toEqual([true, true]);
    expect((await readFile(copy)).equals(await readFile(mine))).toBe(true);
    await blobs.remove("a.1.tgz");
    expect(await blobs.has("a.1.tgz")).toBe(false);
  });

  test("refuses a wrong key, and a bucket that does not exist", async () => {
    await using folder = await temporaryFolder("//- mine\nbytes\n");
    const mine = path.join(folder.path, "mine");
    const wrong = open(`s3://${s3.bucket}`, { AWS_ACCESS_KEY_ID: "wrong" });
    await expect(wrong.put("a.tgz", mine, { signal })).rejects.toThrow("403 (InvalidAccessKeyId) to PUT");
    await expect(wrong.get("a.tgz", mine, { signal })).rejects.toThrow("403 (InvalidAccessKeyId) to GET");
    await expect(open("s3://no-bucket").put("a.tgz", mine, { signal })).rejects.toThrow("there is no bucket no-bucket");
  });

  test("a redirect is not followed: the target would get the session token", async () => {
    const reached: unknown[] = [];
    await using other = await listen((request, response) => {
      reached.push(request.headers["x-amz-security-token"]);
      response.end();
    });
    await using store = await listen((_request, response) => {
      response.writeHead(307, { location: `${other.url}/elsewhere` }).end();
    });
    await using folder = await temporaryFolder("//- mine\nbytes\n");
    const mine = path.join(folder.path, "mine");
    const blobs = open("s3://bucket", { AWS_ENDPOINT_URL: store.url, AWS_SESSION_TOKEN: "session" });
    await expect(blobs.get("a.tgz", mine, { signal })).rejects.toThrow("answered 307");
    await expect(blobs.put("a.tgz", mine, { signal })).rejects.toThrow("answered 307");
    expect(reached).toEqual([]);
  });

  test("a store that is silent is given up, so that the origin can be asked", async () => {
    await using store = await listen(() => {});
    await using folder = await temporaryFolder();
    const blobs = open("s3://bucket", { AWS_ENDPOINT_URL: store.url }, { idleTimeoutMs: 100 });
    await expect(blobs.get("a.tgz", path.join(folder.path, "copy"), { signal })).rejects.toThrow("fetch failed");
    await expect(blobs.has("a.tgz")).rejects.toThrow("fetch failed");
  });

  test.each([
    ["s3://", {}, "names no bucket"],
    ["s3:bucket", {}, "names no bucket"],
    ["s3://Bucket/x", {}, "names no bucket"],
    ["s3://bucket", { AWS_ACCESS_KEY_ID: "" }, "needs keys"],
  ])("%s with %j is wrong usage", (place, env, message) => {
    expect(() => open(place, env)).toThrow(message);
  });
});

describe.each(postgresEngines())("nodes on $name", (engine) => {
  test("share a snapshot in an object store", async () => {
    await using git = await startGitServer();
    await git.commit("lib", { "retry.ts": "export const retries = 3;\n" });
    const location = await engine.createDatabase();
    const blobs = open(`s3://${s3.bucket}/shared`);
    const options = { blobs, env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile } };
    await using worker = await startService(location, options);
    await using web = await startService(location, { ...options, role: "web" });
    const key = await worker.key();
    await worker.call(key, "addResource", { type: "git", name: "lib", url: git.url("lib") });
    await worker.untilFetched();
    const uploads = () => git.requests.filter((request) => request.startsWith("POST")).length;
    const before = uploads();
    expect(await web.call(key, "search", { query: "retries", mode: "ranked" })).toMatchObject({
      isError: false,
      content: [{ text: expect.stringContaining("export const retries = 3;") }],
    });
    // It asked for the revision only.
    expect(uploads() - before).toBe(1);
  });
});
