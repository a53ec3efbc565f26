import { execFileSync } from "node:child_process";
import { cp, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { temporaryFolder } from "./folder.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** A temporary copy of this project. */
export interface Checkout extends AsyncDisposable {
  path: string;
  git(...args: string[]): string;
}

/** Copies and commits the current project into a new repository, with node_modules linked. */
export async function checkout({ edit }: { edit?: (folder: string) => Promise<void> } = {}): Promise<Checkout> {
  const folder = await temporaryFolder();
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: root, encoding: "utf8" });
  const deleted = execFileSync("git", ["ls-files", "-d", "-z"], { cwd: root, encoding: "utf8" }).split("\0");
  const files = listed.split("\0").filter((file) => file !== "" && !deleted.includes(file));
  for (const file of files) await cp(path.join(root, file), path.join(folder.path, file));
  await symlink(path.join(root, "node_modules"), path.join(folder.path, "node_modules"), "junction");
  await edit?.(folder.path);
  const git = (...args: string[]) => {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
    return execFileSync("git", [...identity, ...args], { cwd: folder.path, encoding: "utf8" });
  };
  git("init", "--quiet", "--initial-branch=main");
  // The .gitignore entry matches a folder, but this is a link.
  await writeFile(path.join(folder.path, ".git/info/exclude"), "node_modules\n");
  git("add", "--all");
  git("commit", "--quiet", "--message=All");
  return { path: folder.path, git, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}
