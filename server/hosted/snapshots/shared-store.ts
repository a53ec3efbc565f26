import path from "node:path";
import { CitewellError } from "../../errors.ts";
import { createFetch, type FetchSettings } from "../../lib/fetch.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { type BlobStore, createDirectoryBlobs } from "./blobs.ts";
import { createS3Blobs } from "./s3-blobs.ts";

/** What a shared store is opened with. */
export interface SharedStoreOptions {
  /** The base of a relative path. */
  cwd: string;
  /** The keys and the address of an object store, under their usual names. */
  env: Readonly<Record<string, string | undefined>>;
  /** Proxies and certificates. */
  network: FetchSettings;
  /**
   * The milliseconds without a sign of life after which an object store is given up: a question then still has time for
   * the origin.
   */
  idleTimeoutMs?: number;
}

const usualIdleTimeoutMs = 15_000;

/** Opens `s3://bucket/prefix`, or a folder. @throws InvalidUsage (no bucket, no keys) */
export function openSharedStore(
  place: string,
  { cwd, env, network, idleTimeoutMs = usualIdleTimeoutMs }: SharedStoreOptions,
): BlobStore {
  if (!/^s3:/i.test(place)) return createDirectoryBlobs(path.resolve(cwd, place));
  const [, bucket, prefix = ""] = /^s3:\/\/([a-z\d][a-z\d.-]+[a-z\d])(?:\/(.*))?$/.exec(place) ?? [];
  if (bucket === undefined) {
    throw new CitewellError("InvalidUsage", `--shared ${quoteValue(place)} names no bucket`, {
      hint: "write it as --shared s3://bucket/prefix",
    });
  }
  const accessKeyId = env["AWS_ACCESS_KEY_ID"];
  const secretAccessKey = env["AWS_SECRET_ACCESS_KEY"];
  if (!accessKeyId || !secretAccessKey) {
    throw new CitewellError("InvalidUsage", `--shared ${quoteValue(place)} needs keys`, {
      hint: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    });
  }
  const region = env["AWS_REGION"] || "us-east-1";
  return createS3Blobs(
    {
      bucket,
      prefix: prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`,
      endpoint: env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"] || `https://s3.${region}.amazonaws.com`,
      region,
      accessKeyId,
      secretAccessKey,
      sessionToken: env["AWS_SESSION_TOKEN"] || undefined,
    },
    { fetch: createFetch({ ...network, idleTimeoutMs }) },
  );
}
