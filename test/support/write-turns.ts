// A script for test/server/threads/threads.test.ts: adds turns `<prefix>0`, `<prefix>1`, … to a thread and prints each
// question once stored.
import * as z from "zod";
import { createThreadStore } from "../../server/threads/threads.ts";
import { threadTurn } from "./thread-turn.ts";

const Input = z.object({ dataDirectory: z.string(), id: z.string(), prefix: z.string(), count: z.number() });

const { dataDirectory, id, prefix, count } = Input.parse(JSON.parse(process.argv[2] ?? ""));
const threads = createThreadStore({ dataDirectory });
for (let index = 0; index < count; index++) {
  const question = prefix + index;
  await threads.append(id, threadTurn({ question }), { files: [], isFirst: true });
  console.log(question);
}
