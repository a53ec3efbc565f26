import { readFile } from "node:fs/promises";
import * as tls from "node:tls";
import { messageOf } from "../errors.ts";
import { toAbsolutePath } from "../lib/absolute-path.ts";
import type { FetchSettings } from "../lib/fetch.ts";
import type { ConfigLocation } from "./config.ts";

/** The network settings of the environment, for `createFetch`. */
export interface NetworkSettings extends Pick<FetchSettings, "httpsProxy" | "httpProxy" | "noProxy"> {
  /** Certificates (PEM) to trust in addition to the built-in ones. */
  ca: readonly string[];
  /** Unusable files, in sentences. */
  warnings: readonly string[];
}

/**
 * The proxies (`https_proxy`, `HTTPS_PROXY`, …; lower case takes precedence, as in curl), and the certificates of
 * `NODE_EXTRA_CA_CERTS`, `SSL_CERT_FILE` and the system's store if this Node can read it (22.15 and later). Reading the
 * store can be slow: call this only when the network is needed.
 */
export async function readNetworkSettings(location: ConfigLocation): Promise<NetworkSettings> {
  const { env } = location;
  const files = [env["NODE_EXTRA_CA_CERTS"], env["SSL_CERT_FILE"]].filter((file) => file !== undefined && file !== "");
  const read = await Promise.all([...new Set(files)].map((file) => readCertificates(file ?? "", location)));
  return {
    httpsProxy: env["https_proxy"] || env["HTTPS_PROXY"] || undefined,
    httpProxy: env["http_proxy"] || env["HTTP_PROXY"] || undefined,
    noProxy: env["no_proxy"] || env["NO_PROXY"] || undefined,
    ca: [...read.flatMap(({ ca }) => ca), ...systemCertificates()],
    warnings: read.flatMap(({ warnings }) => warnings),
  };
}

/**
 * The environment for git, before `resources/git/` removes what an untrusted repository could abuse. Git built with
 * GnuTLS ignores `SSL_CERT_FILE`, so git's own variable is set as well.
 */
export function gitEnvironment({ env }: Pick<ConfigLocation, "env">): Record<string, string> {
  const values = Object.entries({ GIT_SSL_CAINFO: env["SSL_CERT_FILE"], ...env });
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

async function readCertificates(
  file: string,
  { cwd, homeDirectory }: ConfigLocation,
): Promise<Pick<NetworkSettings, "ca" | "warnings">> {
  try {
    const text = await readFile(toAbsolutePath(file, { folder: cwd, homeDirectory }), "utf8");
    if (text.includes("-----BEGIN CERTIFICATE-----")) return { ca: [text], warnings: [] };
    return { ca: [], warnings: [`the certificate file ${file} holds no certificate in PEM form`] };
  } catch (error) {
    return { ca: [], warnings: [`the certificate file ${file} could not be read: ${messageOf(error)}`] };
  }
}

function systemCertificates(): string[] {
  if (!("getCACertificates" in tls) || typeof tls.getCACertificates !== "function") return [];
  const certificates: unknown = tls.getCACertificates("system");
  return Array.isArray(certificates) ? certificates.filter((certificate) => typeof certificate === "string") : [];
}
