import { createCredentials, type Credentials } from "../../server/providers/credentials.ts";
import { silentLog } from "../../server/lib/log.ts";

/** The real store over missing files: only environment keys exist. */
export function environmentCredentials(env: Record<string, string> = {}): Credentials {
  const file = "/there/is/nothing/auth.json";
  return createCredentials({ file, connectionsFile: "/there/is/nothing/connections.json", env, log: silentLog });
}
