/** A `Gemfile.lock`, https://bundler.io/man/gemfile.5.html */
export interface GemLock {
  /** Each gem with its version and where it is from; `remote` is a folder, relative to the file, or a repository. */
  specs: ReadonlyMap<string, { type: "gem" | "git" | "path"; remote: string; version: string }>;
  /** What the `Gemfile` names. */
  direct: readonly string[];
}

/** The file is written by Bundler alone: sections in capitals, gems indented by four spaces, what they need by six. */
export function parseGemLock(text: string): GemLock {
  const specs = new Map<string, { type: "gem" | "git" | "path"; remote: string; version: string }>();
  const direct: string[] = [];
  for (const section of text.split(/\r?\n(?=[A-Z])/)) {
    const [heading = ""] = section.trim().split(/\s/, 1);
    if (heading === "DEPENDENCIES")
      direct.push(...[...section.matchAll(/^ {2}([\w.-]+)/gm)].map(([, name = ""]) => name));
    const type = heading === "GIT" ? "git" : heading === "PATH" ? "path" : "gem";
    if (!["GEM", "GIT", "PATH"].includes(heading)) continue;
    const remote = /^ {2}remote: (.*?)\r?$/m.exec(section)?.[1] ?? "";
    // Both are parts of paths. After a hyphen is a platform of those that the file is for, not the one that is installed.
    for (const [, name = "", version = ""] of section.matchAll(/^ {4}(\w[\w.-]*) \((\d[\w.]*)(?:-[\w.-]+)?\)/gm)) {
      if (!specs.has(name)) specs.set(name, { type, remote: remote.replace(/(?<=:\/\/)[^/@]*@/, ""), version });
    }
  }
  return { specs, direct };
}
