import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";

/** How long it may block the event loop, in milliseconds: synchronous calls are several times faster. */
const sliceMs = 10;

/** The bytes of all files below a folder, without following links. What is removed meanwhile does not count. */
export async function folderBytes(folder: string): Promise<number> {
  const folders = [folder];
  let bytes = 0;
  let sliceStart = performance.now();
  for (const current of folders) {
    for (const entry of entriesOf(current)) {
      const place = path.join(current, entry.name);
      if (entry.isDirectory()) folders.push(place);
      else bytes += sizeOf(place);
      if (performance.now() - sliceStart < sliceMs) continue;
      await setImmediate();
      sliceStart = performance.now();
    }
  }
  return bytes;
}

function sizeOf(file: string): number {
  try {
    return lstatSync(file).size;
  } catch {
    return 0;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
