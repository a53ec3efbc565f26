import { lookUp, type Npmrc } from "./npmrc.ts";

/**
 * The `Authorization` header for an address, or undefined: what is configured for the longest `//host/path` that the
 * address starts with, cut at a slash and then at the slash itself, as npm does. Another host gets nothing.
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

/** The host of a key such as `//host/path/:_authToken`, or undefined for any other key. */
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

/** A value with a variable that was not filled in is no secret: the next layer may have one. */
function lookUpSecret(layers: readonly Npmrc[], key: string): string | undefined {
  const complete = layers.filter((layer) => !layer.get(key)?.some((value) => value.includes("${")));
  return lookUp(complete, key);
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}
