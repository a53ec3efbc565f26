import { createHash } from "node:crypto";

/** Trusted algorithms, strongest first. */
const algorithms = ["sha512", "sha384", "sha256", "sha1"] as const;

/** Checks streamed bytes against a subresource integrity value (https://www.w3.org/TR/SRI/). */
export interface IntegrityCheck {
  update(bytes: Uint8Array): void;
  /** Whether the bytes so far have one of the expected checksums. Can be called once. */
  isMet(): boolean;
}

/** Only checksums of the strongest algorithm in the value are accepted; a value without any is never met. */
export function createIntegrityCheck(integrity: string): IntegrityCheck {
  const { algorithm, digests } = strongest(integrity);
  const hash = createHash(algorithm);
  return {
    update: (bytes) => void hash.update(bytes),
    isMet: () => digests.includes(hash.digest("hex")),
  };
}

/** Whether a value contains a checksum of a trusted algorithm. */
export function isIntegrity(text: string): boolean {
  return strongest(text).digests.length > 0;
}

/** The subresource integrity of checksums in hexadecimal, `sha256:3f1c…`; undefined if none is of a trusted algorithm. */
export function integrityOf(checksums: readonly string[]): string | undefined {
  const tokens = checksums.flatMap((checksum) => {
    const [, algorithm = "", hex = ""] = /^(\w+):([0-9a-f]+)$/i.exec(checksum) ?? [];
    const length = { sha512: 128, sha384: 96, sha256: 64, sha1: 40 }[algorithm];
    return hex.length === length ? [`${algorithm}-${Buffer.from(hex, "hex").toString("base64")}`] : [];
  });
  return tokens.length === 0 ? undefined : [...new Set(tokens)].toSorted().join(" ");
}

/** Whether two values have a checksum in common, of the strongest algorithm of both. */
export function sharesChecksum(a: string, b: string): boolean {
  const [left, right] = [strongest(a), strongest(b)];
  return left.algorithm === right.algorithm && left.digests.some((digest) => right.digests.includes(digest));
}

/** The revision of a package, `5.3.0+3f1c…`: version and start of the strongest checksum in hexadecimal. */
export function revisionOf(version: string, integrity: string): string {
  return revisionOfHash(version, strongest(integrity).digests[0] ?? "");
}

/** As `revisionOf`, with a hash in hexadecimal. */
export function revisionOfHash(version: string, hash: string): string {
  return `${version}+${hash.slice(0, 16)}`;
}

/** The version in a revision; a version may contain a `+` itself. */
export function versionOfRevision(revision: string): string {
  return revision.slice(0, revision.lastIndexOf("+"));
}

/** Checksums in hexadecimal, sorted, so that their order in the value has no effect. */
function strongest(integrity: string): { algorithm: (typeof algorithms)[number]; digests: string[] } {
  const tokens = integrity.split(/\s+/).map((token) => /^(\w+)-([A-Za-z0-9+/]+=*)(\?.*)?$/.exec(token));
  const digestsOf = (algorithm: string) =>
    tokens.flatMap((token) =>
      token?.[1] === algorithm ? [Buffer.from(token[2] ?? "", "base64").toString("hex")] : [],
    );
  const algorithm = algorithms.find((name) => digestsOf(name).length > 0) ?? "sha512";
  return { algorithm, digests: digestsOf(algorithm).toSorted() };
}
