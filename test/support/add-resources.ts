// A script for test/server/config/file.test.ts: adds resources `<prefix>0`, `<prefix>1`, … to the configuration in a home
// folder and prints each name once saved.
import * as z from "zod";
import { addResource } from "../../server/config/config.ts";

const Input = z.object({ home: z.string(), prefix: z.string(), count: z.number() });

const { home, prefix, count } = Input.parse(JSON.parse(process.argv[2] ?? ""));
const location = { cwd: home, env: {}, platform: "linux", homeDirectory: home } as const;
for (let index = 0; index < count; index++) {
  const name = prefix + index;
  await addResource(location, { type: "npm", name, package: name, specialNotes: "x".repeat(400) });
  console.log(name);
}
