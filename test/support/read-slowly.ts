import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { createFetch } from "../../server/lib/fetch.ts";

/** Reads each address slowly; prints a line of JSON with the bytes of each, or the failure. */
const { addresses } = z.object({ addresses: z.array(z.string()) }).parse(JSON.parse(process.argv[2] ?? ""));
const fetch = createFetch({});
const read: (number | string)[] = [];
for (const address of addresses) read.push(await sizeAt(address).catch((error: unknown) => String(error)));
console.log(JSON.stringify(read));
process.exit(0);

async function sizeAt(address: string): Promise<number> {
  const { body } = await fetch(address);
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    await pause(1);
  }
  return size;
}
