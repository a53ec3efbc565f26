import path from "node:path";
import * as z from "zod";
import { silentLog } from "../../server/lib/log.ts";
import { createCredentials } from "../../server/providers/credentials.ts";

/** A script: stores keys under `<prefix>0`, `<prefix>1`, … in the `auth.json` of a folder. */
const Input = z.object({ folder: z.string(), prefix: z.string(), count: z.number() });
const { folder, prefix, count } = Input.parse(JSON.parse(process.argv[2] ?? ""));
const credentials = createCredentials({
  file: path.join(folder, "auth.json"),
  connectionsFile: path.join(folder, "connections.json"),
  env: {},
  log: silentLog,
});
for (let index = 0; index < count; index++) {
  const provider = `${prefix}${index}`;
  await credentials.set(provider, { type: "api", key: `key-of-${provider}` }, { baseURL: "https://example.com" });
}
