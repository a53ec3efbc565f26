import { createHash, createHmac } from "node:crypto";

/** Who signs, and for which region. */
export interface S3Keys {
  accessKeyId: string;
  secretAccessKey: string;
  /** The token of temporary keys. */
  sessionToken?: string | undefined;
  region: string;
}

/** A request to be signed. The path of the URL is encoded already. */
export interface UnsignedRequest {
  method: string;
  url: URL;
  /** Signed as well; lower-case names. */
  headers?: Readonly<Record<string, string>>;
  /** SHA-256 of the body, in hexadecimal. */
  bodySha256: string;
}

/** SHA-256 of an empty body. */
export const emptySha256 = sha256("");

/**
 * The headers of a request to S3, with its signature.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function signRequest(
  { method, url, headers = {}, bodySha256 }: UnsignedRequest,
  { accessKeyId, secretAccessKey, sessionToken, region }: S3Keys,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  const signed: Record<string, string> = {
    ...headers,
    "x-amz-content-sha256": bodySha256,
    "x-amz-date": time,
    ...(sessionToken === undefined ? {} : { "x-amz-security-token": sessionToken }),
  };
  // `fetch` sends the header of this name itself.
  const canonical = Object.entries({ ...signed, host: url.host }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = canonical.map(([name]) => name).join(";");
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).toSorted();
  const lines = canonical.map(([name, value]) => `${name}:${value.trim()}\n`);
  const request = [method, url.pathname, query.join("&"), lines.join(""), names, bodySha256].join("\n");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const key = scope.split("/").reduce<Uint8Array>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
  const signature = Buffer.from(hmac(key, ["AWS4-HMAC-SHA256", time, scope, sha256(request)].join("\n"))).toString(
    "hex",
  );
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope},SignedHeaders=${names},Signature=${signature}`;
  return { ...signed, authorization };
}

/** Encodes a part of a path as S3 does. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Uint8Array, text: string): Uint8Array {
  return createHmac("sha256", key).update(text).digest();
}
