// Locks the directory in its argument, reports it, and waits to be killed.
import { lockDirectory } from "../../server/hosted/store/directory-lock.ts";

const directory: string = JSON.parse(process.argv[2] ?? '""');
await lockDirectory(directory);
process.stdout.write("locked\n");
setInterval(() => {}, 60_000);
