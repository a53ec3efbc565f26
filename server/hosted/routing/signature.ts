import { createHmac, timingSafeEqual } from "node:crypto";
import type { SealingKeys } from "../secrets/sealing-keys.ts";

/** The header of a call that another node has passed on. */
export const passedHeader = "x-citewell-passed";

/** Allows for clock differences between nodes and for network delay. */
const validMs = 60_000;

/** The parts of a call that its signature covers. */
export interface PassedCall {
  /** The origin of the node that answers it. */
  to: string;
  /** The header with which the client authenticates; the other node checks it again. */
  authorization: string;
}

/**
 * The value of the header, signed with the first secrets key, which all nodes share. For a minute, it proves to one node
 * that another has already counted the call.
 * @throws SecretsKeyInvalid
 */
export async function signPassed(call: PassedCall, keys: SealingKeys, now = Date.now()): Promise<string> {
  const { key } = await keys.current();
  return `${now}.${digest(call, key, now).toString("base64url")}`;
}

/** Whether this is a recent signature of the call by one of the keys. @throws SecretsKeyInvalid */
export async function isSignedPassed(
  value: string,
  call: PassedCall,
  keys: SealingKeys,
  now = Date.now(),
): Promise<boolean> {
  const [, time = "", signature = ""] = /^(\d{1,15})\.([\w-]{43})$/.exec(value) ?? [];
  if (time === "" || Math.abs(now - Number(time)) > validMs) return false;
  const given = Buffer.from(signature, "base64url");
  return (await keys.read()).some(({ key }) => timingSafeEqual(digest(call, key, Number(time)), given));
}

function digest({ to, authorization }: PassedCall, key: Uint8Array, time: number): Buffer {
  const ownKey = createHmac("sha256", key).update("citewell passed call").digest();
  return createHmac("sha256", ownKey)
    .update(JSON.stringify([time, to, authorization]))
    .digest();
}
