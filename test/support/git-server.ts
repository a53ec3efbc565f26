import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import os from "node:os";
import path from "node:path";
import { buffer, text as readText } from "node:stream/consumers";
import { generate } from "selfsigned";

/** An entry of a commit: text, bytes, a symbolic link, or the commit of a submodule. */
export type CommittedFile = string | Uint8Array | { link: string } | { submodule: string };

/** Handles a request instead of git if it returns true; a promise delays the request. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

/** A git server on loopback. */
export interface GitServer extends AsyncDisposable {
  /** `https://localhost:<port>` */
  origin: string;
  url(repository: string): string;
  /** The certificate file for `localhost` and 127.0.0.1. */
  caFile: string;
  /** Method, path and query of every request, in order. */
  requests: string[];
  /** Commits files to a branch (a new orphan branch if missing) and returns the commit. */
  commit(
    repository: string,
    files: Record<string, CommittedFile>,
    options?: { branch?: string; message?: string },
  ): Promise<string>;
  /** Creates a repository without commits. */
  createRepository(repository: string): Promise<void>;
  /** Runs git in a bare repository. */
  git(repository: string, args: readonly string[]): Promise<string>;
  intercept(intercept: Intercept | undefined): void;
  /** Stops the server; further connections are refused. */
  stop(): Promise<void>;
}

/** Starts real git over HTTPS on loopback: `git http-backend` over bare repositories, with a new certificate. */
export async function startGitServer(): Promise<GitServer> {
  const root = await mkdtemp(path.join(os.tmpdir(), "citewell-git-server-"));
  const { private: key, cert } = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 2, value: "git.example" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  const caFile = path.join(root, "ca.pem");
  await writeFile(caFile, cert);

  const requests: string[] = [];
  let intercept: Intercept | undefined;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    requests.push(`${request.method} ${request.url}`);
    if (!(await intercept?.(request, response))) await serveGit(root, request, response);
  };
  const server = createServer({ key, cert }, (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const origin = `https://localhost:${typeof address === "object" ? address?.port : 0}`;

  const stop = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  const folderOf = (repository: string) => path.join(root, `${repository}.git`);
  const git = async (repository: string, args: readonly string[], input?: string | Uint8Array) =>
    runGit(["-C", folderOf(repository), ...args], input);
  // `git init` would write the same (https://git-scm.com/docs/gitrepository-layout), but a process of a large one takes 20 ms.
  const createRepository = async (repository: string) => {
    for (const name of ["objects", "refs"]) await mkdir(path.join(folderOf(repository), name), { recursive: true });
    await writeFile(path.join(folderOf(repository), "config"), repositoryConfig);
    await writeFile(path.join(folderOf(repository), "HEAD"), "ref: refs/heads/main\n");
  };
  return {
    origin,
    url: (repository) => `${origin}/${repository}`,
    caFile,
    requests,
    createRepository,
    git,
    async commit(repository, files, { branch = "main", message = "A change" } = {}) {
      const isNew = !existsSync(folderOf(repository));
      if (isNew) await createRepository(repository);
      const ref = `refs/heads/${branch}`;
      const isFirst =
        isNew ||
        (await git(repository, ["rev-parse", "--verify", "--quiet", ref]).then(
          () => false,
          () => true,
        ));
      const commits = importStream(ref, { isFirst, message }, files);
      return (await git(repository, ["fast-import", "--quiet"], commits)).trim();
    },
    intercept(next) {
      intercept = next;
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(root, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

const repositoryConfig = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n[uploadpack]\n\tallowFilter = true\n";

/** A commit whose id is printed: https://git-scm.com/docs/git-fast-import */
function importStream(
  ref: string,
  { isFirst, message }: { isFirst: boolean; message: string },
  files: Record<string, CommittedFile>,
): Uint8Array {
  const parts: Uint8Array[] = [];
  const line = (text: string) => parts.push(Buffer.from(`${text}\n`));
  const data = (bytes: Uint8Array) => {
    line(`data ${bytes.length}`);
    parts.push(bytes);
    line("");
  };
  line(`commit ${ref}`);
  line("mark :1");
  line("committer Test <test@example.com> 1700000000 +0000");
  data(Buffer.from(message));
  if (!isFirst) line(`from ${ref}^0`);
  for (const [name, content] of Object.entries(files)) {
    const quoted = JSON.stringify(name);
    if (typeof content === "object" && "submodule" in content) line(`M 160000 ${content.submodule} ${quoted}`);
    else {
      const isLink = typeof content === "object" && "link" in content;
      line(`M ${isLink ? "120000" : "100644"} inline ${quoted}`);
      data(isLink ? Buffer.from(content.link) : Buffer.from(content));
    }
  }
  line("get-mark :1");
  return Buffer.concat(parts);
}

/** One request through the CGI program: https://git-scm.com/docs/git-http-backend */
async function serveGit(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "https://localhost");
  const [, repository = "", rest = ""] =
    /^\/(.+?)(?:\.git)?(\/(?:info|objects|git-upload-pack|HEAD).*)$/.exec(url.pathname) ?? [];
  const backend = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      HOME: root,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      PATH_INFO: `/${repository}.git${rest}`,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  response.on("close", () => backend.kill());
  backend.stdin.on("error", () => {});
  request.pipe(backend.stdin);
  const output = await buffer(backend.stdout);
  const end = output.indexOf("\r\n\r\n");
  const headers = output
    .subarray(0, end)
    .toString()
    .split("\r\n")
    .map((line) => line.split(/:\s*/, 2));
  const status = headers.find(([name]) => name === "Status")?.[1] ?? "200";
  const pairs = headers.flatMap(([name, value]) => (name === undefined || value === undefined ? [] : [name, value]));
  response.writeHead(Number.parseInt(status, 10), pairs);
  response.end(output.subarray(end + 4));
}

async function runGit(args: readonly string[], input: string | Uint8Array = ""): Promise<string> {
  const git = spawn("git", [...args], {
    env: { PATH: process.env["PATH"], HOME: os.tmpdir(), GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  // Commands that read no input may exit before it is written.
  git.stdin.on("error", () => {});
  git.stdin.end(input);
  const [output, errors, code] = await Promise.all([readText(git.stdout), readText(git.stderr), exitCode(git)]);
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${errors}`);
  return output;
}

async function exitCode(child: ChildProcess): Promise<unknown> {
  const [code] = await once(child, "close");
  return code;
}
