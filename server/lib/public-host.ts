import ipaddr from "ipaddr.js";

/** Why a private host is not reached, where it must look like an unknown one. */
export const unknownHost = "no public address of it is known";

/** Normalises a host for comparison: removes brackets and a trailing dot. */
export function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.+$/, "");
}

/** Whether the name of a URL's host is this computer's, without asking a resolver. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Whether an https URL is of a trusted host: an exact name, for all of its ports or with one, as `git.corp:8443`. */
export function isTrustedHost({ hostname, port }: URL, trusted: readonly string[]): boolean {
  const host = plainHost(hostname);
  const place = `${host}:${port === "" ? "443" : port}`;
  return trusted.some((entry) => {
    const [, name = entry, only] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? [];
    return only === undefined ? plainHost(name) === host : `${plainHost(name)}:${only}` === place;
  });
}

/**
 * Why a host is private (`10.0.0.1 is not a public address`), or undefined. Checks the text only; names are not resolved.
 */
export function privateHostFault(host: string): string | undefined {
  const plain = plainHost(host);
  if (plain === "localhost" || plain.endsWith(".localhost")) return `${plain} is this computer`;
  return ipaddr.isValid(plain) && !isPublicAddress(plain) ? `${plain} is not a public address` : undefined;
}

/**
 * Whether an IP address is public. An IPv4 address mapped into IPv6 is checked as IPv4. Public IPv6 addresses are in
 * 2000::/3 (https://www.iana.org/assignments/ipv6-address-space); outside are forms that embed IPv4 addresses.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || address.match(ipaddr.IPv6.parseCIDR("2000::/3"));
}

/** The addresses that one client can use: an IPv4 address, or the /64 network of an IPv6 address. */
export function networkOf(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}
