import ipaddr from "ipaddr.js";

/** A host as it is compared: without brackets, and without the dot at the end that names the same host. */
export function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.+$/, "");
}

/**
 * Why a host is private by its text alone (`10.0.0.1 is not a public address`), or undefined. What a name resolves to
 * is not looked at.
 */
export function privateHostFault(host: string): string | undefined {
  const plain = plainHost(host);
  if (plain === "localhost" || plain.endsWith(".localhost")) return `${plain} is this computer`;
  return ipaddr.isValid(plain) && !isPublicAddress(plain) ? `${plain} is not a public address` : undefined;
}

/**
 * An IPv4 address counts by itself where it is mapped into an IPv6 one. Of IPv6, public addresses are in 2000::/3
 * (https://www.iana.org/assignments/ipv6-address-space); outside of it are forms that stand for IPv4 addresses.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || address.match(ipaddr.IPv6.parseCIDR("2000::/3"));
}
