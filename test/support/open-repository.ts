import { once } from "node:events";
import { silentLog } from "../../server/lib/log.ts";
import { createGit } from "../../server/resources/git/git.ts";
import { createStore } from "../../server/resources/store.ts";

/** The input of a script that opens a repository, prints a line, and reads it until standard input ends. */
export interface OpenRepositoryInput {
  directory: string;
  url: string;
  branch: string;
  environment: Record<string, string>;
}

const input: OpenRepositoryInput = JSON.parse(process.argv[2] ?? "");
const say = (text: string) => process.stdout.write(`${text}\n`);
await using store = createStore({ directory: input.directory, log: silentLog });
const git = createGit({ environment: input.environment, allowHosts: ["localhost"], store, now: Date.now });
await using snapshot = await git.open(
  { name: "demo", url: input.url, branch: input.branch, searchPaths: [] },
  {
    isOneOff: false,
    refresh: "daily",
    signal: new AbortController().signal,
    onProgress: ({ message }) => say(`progress ${message}`),
  },
);
say(`opened ${snapshot.revision}`);
process.stdin.resume();
await once(process.stdin, "end");
