import { execFileSync } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createFetch } from "../../server/lib/fetch.ts";
import { type Folder, temporaryFolder } from "../../test/support/folder.ts";
import { type HostedNode, startNode } from "../../test/support/hosted-node.ts";
import { type CostWatch, watchCost } from "../process-cost.ts";
import type { Organization } from "./organization.ts";

/** The address that people and agents use; the balancer is behind it. */
export const publicUrl = "https://team.example";
/** How often a balancer looks at `/readyz`. */
const healthMs = 200;

/** The processes of a service over one database, behind a round-robin balancer. */
export interface Nodes extends AsyncDisposable {
  /** Starts or restarts a process under a name, over the folder of that name. @param file of another build */
  start(name: string, role: "web" | "worker", file?: string): Promise<HostedNode>;
  /** Ends a process. With SIGTERM it finishes its calls first. */
  end(name: string, signal: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Sends a request for `publicUrl` to a web node that is ready, and others where they go. */
  fetch: typeof globalThis.fetch;
  isReady(): boolean;
  /** Peak memory and CPU time of each process, ended ones included. */
  costs(): { name: string; megabytes: number; seconds: number }[];
  /** The size of all folders. */
  diskMb(): number;
  /** Ends all processes and returns the errors that they and earlier ones logged. */
  errors(): Promise<string[]>;
}

/** @param options.database of PostgreSQL */
export async function createNodes(organization: Organization, { database }: { database: string }): Promise<Nodes> {
  const { git, github } = organization;
  const folders = new Map<string, Folder>();
  const running = new Map<string, { node: HostedNode; role: string; isReady: boolean }>();
  const watches: { name: string; watch: CostWatch }[] = [];
  const logs: Promise<string>[] = [];
  const direct = createFetch({ ca: [await readFile(git.caFile, "utf8")] });
  let turn = 0;

  const check = async () => {
    for (const one of running.values()) one.isReady = (await one.node.readiness()) === 200;
  };
  const checking = new AbortController();
  const checks = (async () => {
    while (!checking.signal.aborted) {
      await check();
      await sleep(healthMs);
    }
  })();
  const end = async (name: string, signal: NodeJS.Signals) => {
    const node = running.get(name)?.node;
    node?.process.kill(signal);
    await node?.ended;
    running.delete(name);
  };
  const ready = () => [...running.values()].filter(({ role, isReady }) => role === "web" && isReady);

  return {
    async start(name, role, file) {
      const folder = folders.get(name) ?? (await newFolder(github.settings.privateKey));
      folders.set(name, folder);
      const args = [
        "--role",
        role,
        "--database",
        database,
        "--calls-per-minute",
        "1000000",
        "--notice",
        "2",
        "--public-url",
        publicUrl,
        "--trusted-proxy",
        "127.0.0.1",
        "--node-url",
        "http://127.0.0.1:0",
        "--github-app",
        github.settings.slug,
        "--github-client-id",
        github.settings.clientId,
        "--github-key",
        "app.pem",
        "--github-api",
        github.settings.apiUrl,
      ];
      const env = {
        SSL_CERT_FILE: git.caFile,
        NODE_EXTRA_CA_CERTS: git.caFile,
        CITEWELL_SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
        CITEWELL_GITHUB_CLIENT_SECRET: github.settings.clientSecret,
      };
      const node = await startNode(folder, args, env, { file });
      logs.push(node.log);
      watches.push({ name, watch: watchCost(node.process.pid ?? 0) });
      running.set(name, { node, role, isReady: true });
      return node;
    },
    end,
    async fetch(input, init) {
      const url = new URL(input instanceof Request ? input.url : input);
      if (url.origin !== publicUrl) return direct(input, init);
      const headers = new Headers(init?.headers);
      headers.set("x-forwarded-proto", "https");
      headers.set("x-forwarded-host", url.host);
      const nodes = ready();
      const chosen = nodes[turn++ % nodes.length];
      if (chosen === undefined) return new Response("no node is ready", { status: 503 });
      return fetch(new URL(url.pathname + url.search, chosen.node.url), { ...init, headers });
    },
    isReady: () => [...running.values()].every(({ isReady }) => isReady),
    costs: () => watches.map(({ name, watch }) => ({ name, ...watch.cost() })),
    diskMb: () =>
      [...folders.values()].reduce((sum, folder) => {
        const [size] = execFileSync("du", ["-sm", folder.path], { encoding: "utf8" }).split("\t");
        return sum + Number(size);
      }, 0),
    async errors() {
      await Promise.all([...running.keys()].map((name) => end(name, "SIGTERM")));
      const lines = (await Promise.all(logs)).flatMap((log) => log.split("\n"));
      return lines.filter((line) => line.includes('"level":"error"'));
    },
    async [Symbol.asyncDispose]() {
      checking.abort();
      await checks;
      for (const { watch } of watches) watch[Symbol.dispose]();
      for (const { node } of running.values()) await node[Symbol.asyncDispose]();
      for (const folder of folders.values()) await folder[Symbol.asyncDispose]();
    },
  };
}

async function newFolder(privateKey: string): Promise<Folder> {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder.path, ".home"));
  await writeFile(path.join(folder.path, ".home", "citewell.config.jsonc"), '{ "allowHosts": ["localhost"] }');
  await writeFile(path.join(folder.path, "app.pem"), privateKey, { mode: 0o600 });
  return folder;
}

/** Builds a commit of this repository with today's packages, and returns its command line; undefined without the commit. */
export async function buildCommit(commit: string, folder: string): Promise<string | undefined> {
  try {
    execFileSync("git", ["cat-file", "-e", `${commit}^{commit}`], { stdio: "ignore" });
  } catch {
    // A shallow clone does not have it.
    return undefined;
  }
  const archive = execFileSync("git", ["archive", commit], { maxBuffer: 2 ** 28 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  await symlink(path.resolve("node_modules"), path.join(folder, "node_modules"));
  execFileSync(process.execPath, ["esbuild.mjs"], { cwd: folder, stdio: "ignore" });
  return path.join(folder, "dist", "citewell.mjs");
}
