import type { GitResult } from "../git-call.ts";
import type { HistoryRepository } from "./history-repository.ts";

const empty: GitResult = { code: 0, stdout: "", stderr: "" };
const missing: GitResult = { code: 128, stdout: "", stderr: "fatal: no such path in this part of the repository" };

/**
 * The history of a part of a repository: commands see only commits that changed its paths, and of these only the changes
 * of its paths. A file that was moved into the part begins there, so that no line of another part is shown.
 */
export function limitHistory(repository: HistoryRepository, paths: readonly string[]): HistoryRepository {
  if (paths.length === 0) return repository;
  const isInside = (file: string) => paths.some((one) => file === one || file.startsWith(`${one}/`));

  /** Those of some paths that are in the part, and the part's own that are in one of them. */
  function inside(asked: readonly string[]): string[] {
    if (asked.length === 0) return [...paths];
    return asked.flatMap((one) => (isInside(one) ? [one] : paths.filter((own) => own.startsWith(`${one}/`))));
  }

  return {
    ...repository,
    async run(args, options) {
      const [command = ""] = args;
      const end = args.includes("--") ? args.indexOf("--") : args.length;
      const before = args.slice(0, end).filter((arg) => arg !== "--follow");
      const below = inside(args.slice(end + 1));
      const run = (limited: readonly string[]) => repository.run(limited, options);
      if (command === "log") {
        const file = /^-L\d+,\d+:(.*)$/s.exec(before.find((arg) => arg.startsWith("-L")) ?? "")?.[1];
        if (file !== undefined) return isInside(file) ? run([...before, "--no-renames"]) : empty;
        if (below.length === 0) return empty;
        if (!before.some((arg) => arg.startsWith("--no-walk"))) return run([...before, "--", ...below]);
        // Without a walk, git shows commits whatever they change.
        const touched = await touching(before.filter(isId), options);
        if (touched.length === 0) return empty;
        return run([...before.filter((arg) => !isId(arg)), ...touched, "--", ...below]);
      }
      if (command === "grep" || command === "ls-tree")
        return below.length === 0 ? empty : run([...before, "--", ...below]);
      if (command === "blame") {
        // Also without what git copied or renamed from elsewhere.
        const plain = before.filter((arg) => arg !== "-C");
        return below.length === 0 ? missing : run([plain[0] ?? "", "--no-follow", ...plain.slice(1), "--", ...below]);
      }
      const file = command === "cat-file" ? /^[0-9a-f]{40,64}:(.*)$/s.exec(args.at(-1) ?? "")?.[1] : undefined;
      return file === undefined || isInside(file) ? repository.run(args, options) : missing;
    },
  };

  async function touching(ids: readonly string[], { signal, timeMs }: Parameters<HistoryRepository["run"]>[1]) {
    const args = ["log", "--no-walk=unsorted", "--format=%x00%H", "--name-only", "-m", "--first-parent", ...ids, "--"];
    const { stdout } = await repository.run([...args, ...paths], { signal, timeMs, paths });
    return stdout.split("\0").flatMap((part) => {
      const [id = "", ...names] = part.split("\n").filter((line) => line !== "");
      return names.length === 0 ? [] : [id];
    });
  }
}

function isId(arg: string): boolean {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(arg);
}
