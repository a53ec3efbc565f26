import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, openAsBlob } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Fetch } from "../../lib/fetch.ts";
import type { BlobStore } from "./blobs.ts";
import { emptySha256, encode, type S3Keys, signRequest } from "./s3-signature.ts";

/** A place in an object store that speaks S3. */
export interface S3Place extends S3Keys {
  /** `https://s3.eu-central-1.amazonaws.com`: the bucket is the first part of the path. */
  endpoint: string;
  bucket: string;
  /** Before each name, ended by a slash; empty for none. */
  prefix: string;
}

/** Blobs as objects of a bucket. What is not used is left to a lifecycle rule of the bucket. */
export function createS3Blobs({ endpoint, bucket, prefix, ...keys }: S3Place, { fetch }: { fetch: Fetch }): BlobStore {
  const request = async (
    method: string,
    name: string,
    { signal, body, bodySha256 = emptySha256 }: { signal?: AbortSignal; body?: Blob; bodySha256?: string } = {},
  ) => {
    const path = [bucket, ...prefix.split("/").slice(0, -1), name].map(encode).join("/");
    const url = new URL(`${endpoint.replace(/\/+$/, "")}/${path}`);
    const headers = signRequest({ method, url, bodySha256 }, keys, new Date());
    const response = await fetch(url, {
      method,
      headers,
      // The signature is for this host; a session token would be sent to another one.
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.ok || response.status === 404) return response;
    const [, code = response.statusText] = /<Code>([\w.]+)<\/Code>/.exec(await response.text()) ?? [];
    throw new Error(`${url.host} answered ${response.status} (${code}) to ${method} of ${bucket}/${prefix}${name}`);
  };
  return {
    async has(name) {
      return (await request("HEAD", name)).ok;
    },
    async get(name, file, { signal }) {
      const response = await request("GET", name, { signal });
      if (!response.ok || response.body === null) {
        await response.body?.cancel();
        return false;
      }
      await pipeline(Readable.fromWeb(response.body), createWriteStream(file), { signal });
      return true;
    },
    async put(name, file, { signal }) {
      const hash = createHash("sha256");
      await pipeline(createReadStream(file), hash, { signal });
      const response = await request("PUT", name, {
        signal,
        body: await openAsBlob(file),
        bodySha256: hash.digest("hex"),
      });
      if (!response.ok) throw new Error(`there is no bucket ${bucket} at ${endpoint}`);
    },
    async remove(name) {
      await request("DELETE", name);
    },
    async sweep() {},
  };
}
