import { expect, test } from "vitest";
import { gitFailure, isNotFound, isRedirect } from "../../../../server/resources/git/git-failures.ts";

const url = "https://git.example/o/r";
const access = `fatal: unable to access '${url}/': `;

/** What git 2.39 and curl write, and what becomes of it. */
test.each([
  [
    `${access}Could not resolve host: git.example`,
    "RepositoryFailed",
    "git.example could not be reached: no such host",
  ],
  [
    `${access}Could not resolve proxy: proxy.corp`,
    "RepositoryFailed",
    "the proxy did not let git through to git.example",
  ],
  [
    `${access}CONNECT tunnel failed, response 407`,
    "RepositoryFailed",
    "the proxy did not let git through to git.example",
  ],
  [
    `${access}Received HTTP code 403 from proxy after CONNECT`,
    "RepositoryFailed",
    "the proxy did not let git through to git.example",
  ],
  [
    `${access}Failed to connect to git.example port 443 after 0 ms: Couldn't connect to server`,
    "RepositoryFailed",
    "git.example could not be reached",
  ],
  [
    `${access}Failed to connect to git.example port 443: Connection timed out`,
    "RepositoryTimeout",
    "git.example could not be reached: it took too long",
  ],
  [
    `${access}Operation too slow. Less than 100 bytes/sec transferred the last 60 seconds`,
    "RepositoryTimeout",
    "git.example could not be reached: it took too long",
  ],
  [
    `${access}SSL certificate problem: self-signed certificate in certificate chain`,
    "RepositoryFailed",
    "git.example could not be reached: its certificate is not trusted",
  ],
  [
    `${access}server certificate verification failed. CAfile: none CRLfile: none`,
    "RepositoryFailed",
    "git.example could not be reached: its certificate is not trusted",
  ],
  [
    `${access}SSL: no alternative certificate subject name matches target host name 'git.example'`,
    "RepositoryFailed",
    "git.example could not be reached: its certificate is not trusted",
  ],
  ["error: RPC failed; curl 56 recv failure\nfatal: early EOF", "RepositoryFailed", "git.example could not be reached"],
  [`${access}The requested URL returned error: 403`, "RepositoryNotFound", `${url} does not exist, or needs a login`],
  [`fatal: Authentication failed for '${url}/'`, "RepositoryNotFound", `${url} does not exist, or needs a login`],
  [
    "fatal: could not read Username for 'https://git.example': terminal prompts disabled",
    "RepositoryNotFound",
    `${url} does not exist, or needs a login`,
  ],
  [
    `remote: Repository not found.\nfatal: repository '${url}/' not found`,
    "RepositoryNotFound",
    `there is no repository at ${url}`,
  ],
  [
    `fatal: ${url}/info/refs not valid: is this a git repository?`,
    "RepositoryNotFound",
    `there is no git repository at ${url}`,
  ],
  [`${access}The requested URL returned error: 429`, "RepositoryFailed", "git.example refuses: too many requests"],
  [`${access}The requested URL returned error: 502`, "RepositoryFailed", "git.example failed with HTTP status 502"],
  ["fatal: remote error: upload-pack: not our ref c0ffee", "BranchNotFound", `${url} does not hand out c0ffee`],
  [
    "error: Server does not allow request for unadvertised object c0ffee",
    "BranchNotFound",
    `${url} does not hand out c0ffee`,
  ],
  [
    "error: unable to create file a.ts: No space left on device",
    "StorageFailed",
    "git cannot write to /data: no space left on device",
  ],
  [
    "error: unable to write file src/f18.txt\nfatal: unable to checkout working tree",
    "StorageFailed",
    "git cannot write to /data: unable to write file src/f18.txt",
  ],
  [
    "fatal: unable to write new index file",
    "StorageFailed",
    "git cannot write to /data: unable to write new index file",
  ],
  [
    "remote: error: unable to write file x\nfatal: something new",
    "RepositoryFailed",
    `git could not read ${url}: something new`,
  ],
  ["fatal: something new", "RepositoryFailed", `git could not read ${url}: something new`],
  ["", "RepositoryFailed", `git could not read ${url}: no reason given`],
])("%s", (errorOutput, tag, message) => {
  expect(gitFailure(errorOutput, { url, directory: "/data" })).toMatchObject({ tag, message });
});

test.each([
  [`${access}The requested URL returned error: 301`, true],
  [`${access}The requested URL returned error: 308`, true],
  [`${access}The requested URL returned error: 304`, false],
  [`fatal: repository '${url}/' not found`, false],
])("%s is a redirect: %s", (errorOutput, expected) => {
  expect(isRedirect(errorOutput)).toBe(expected);
});

test.each([
  [`fatal: repository '${url}/' not found`, true],
  [`${access}The requested URL returned error: 410`, true],
  [`${access}The requested URL returned error: 403`, false],
])("%s is a missing repository: %s", (errorOutput, expected) => {
  expect(isNotFound(errorOutput)).toBe(expected);
});
