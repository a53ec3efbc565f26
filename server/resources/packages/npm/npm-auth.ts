import { lookUp, type Npmrc } from "./npmrc.ts";

/**
 * The `Authorization` header for an address: the one configured for its longest prefix `//host/path`, with or without a
 * slash at the end, as in npm. Undefined for any other host.
 */
export function authorizationFor(url: URL, layers: readonly Npmrc[]): string | undefined {
  let place = `//${url.host}${url.pathname}`;
  while (place.length > "//".length) {
    const authorization = authorizationAt(place, layers);
    if (authorization !== undefined) return authorization;
    place = place.replace(/([^/]+|\/)$/, "");
  }
  return undefined;
}

/** The host of a key such as `//host/path/:_authToken`; undefined for other keys. */
export function hostOfAuthKey(key: string): string | undefined {
  return /^\/\/([^/]+)\/.*:(_authToken|_auth|username|_password)$/.exec(key)?.[1];
}

function authorizationAt(place: string, layers: readonly Npmrc[]): string | undefined {
  const token = lookUpSecret(layers, `${place}:_authToken`);
  if (token !== undefined) return `Bearer ${token}`;
  const basic = lookUpSecret(layers, `${place}:_auth`);
  if (basic !== undefined) return `Basic ${basic}`;
  const username = lookUpSecret(layers, `${place}:username`);
  const password = lookUpSecret(layers, `${place}:_password`);
  if (username === undefined || password === undefined) return undefined;
  return `Basic ${encode(`${username}:${Buffer.from(password, "base64").toString()}`)}`;
}

/** A value with an unset variable does not count: the next layer may have one. */
function lookUpSecret(layers: readonly Npmrc[], key: string): string | undefined {
  const complete = layers.filter((layer) => !layer.get(key)?.some((value) => value.includes("${")));
  return lookUp(complete, key);
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}
