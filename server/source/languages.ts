/** Languages of one family share a line grammar. */
export type Family =
  | "script"
  | "python"
  | "go"
  | "rust"
  | "c"
  | "class"
  | "ruby"
  | "shell"
  | "lua"
  | "markdown"
  | "rst"
  | "sections"
  | "sql"
  | "none";

/** A language as far as display and definitions need it. */
export interface Language {
  /** The tag of a fenced code block. */
  tag: string;
  family: Family;
}

const plain: Language = { tag: "text", family: "none" };

/** Detects the language of a file by its name. */
export function languageOf(path: string): Language {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const extension = name.slice(name.lastIndexOf(".") + 1);
  return byName.get(name) ?? byExtension.get(extension) ?? plain;
}

/** The language of a fenced code block: its tag is a language's tag or a file extension, before further words. */
export function languageOfTag(info: string): Language {
  const written = /^[^\s:{]*/.exec(info.toLowerCase())?.[0] ?? "";
  const tag = otherTags[written] ?? written;
  const known = [...byExtension.values()].find((language) => language.tag === tag);
  return known ?? byName.get(tag) ?? byExtension.get(tag) ?? plain;
}

/** Common tags that are neither ours nor file extensions. */
const otherTags: Readonly<Record<string, string>> = {
  typescript: "ts",
  javascript: "js",
  golang: "go",
  shell: "bash",
  "c++": "cpp",
  "c#": "csharp",
};

const byName = new Map<string, Language>([
  ["dockerfile", { tag: "dockerfile", family: "none" }],
  ["makefile", { tag: "makefile", family: "none" }],
  ["cmakelists.txt", { tag: "cmake", family: "none" }],
  ["gemfile", { tag: "ruby", family: "ruby" }],
  ["rakefile", { tag: "ruby", family: "ruby" }],
  ["readme", { tag: "text", family: "none" }],
]);

const byExtension = new Map<string, Language>(
  (
    [
      ["js cjs mjs", "js", "script"],
      ["jsx", "jsx", "script"],
      ["ts mts cts", "ts", "script"],
      ["tsx", "tsx", "script"],
      ["vue", "vue", "script"],
      ["svelte", "svelte", "script"],
      ["astro", "astro", "script"],
      ["py pyi pyx", "python", "python"],
      ["go", "go", "go"],
      ["rs", "rust", "rust"],
      ["c h", "c", "c"],
      ["cc cpp cxx hh hpp hxx inl", "cpp", "c"],
      ["m mm", "objectivec", "c"],
      ["cu", "cuda", "c"],
      ["java", "java", "class"],
      ["kt kts", "kotlin", "class"],
      ["cs", "csharp", "class"],
      ["swift", "swift", "class"],
      ["scala sc", "scala", "class"],
      ["php", "php", "class"],
      ["dart", "dart", "class"],
      ["groovy gradle", "groovy", "class"],
      ["proto", "protobuf", "class"],
      ["rb rake", "ruby", "ruby"],
      ["ex exs", "elixir", "ruby"],
      ["cr", "crystal", "ruby"],
      ["sh bash zsh", "bash", "shell"],
      ["ps1 psm1", "powershell", "shell"],
      ["lua", "lua", "lua"],
      ["md markdown mdx mdown", "markdown", "markdown"],
      ["rst", "rst", "rst"],
      ["adoc asciidoc", "asciidoc", "none"],
      ["toml", "toml", "sections"],
      ["ini cfg conf", "ini", "sections"],
      ["sql", "sql", "sql"],
      ["json jsonc json5", "json", "none"],
      ["yml yaml", "yaml", "none"],
      ["xml", "xml", "none"],
      ["html htm", "html", "none"],
      ["css", "css", "none"],
      ["scss", "scss", "none"],
      ["less", "less", "none"],
      ["graphql gql", "graphql", "class"],
      ["hs", "haskell", "none"],
      ["ml mli", "ocaml", "none"],
      ["clj cljs", "clojure", "none"],
      ["erl", "erlang", "none"],
      ["zig", "zig", "rust"],
      ["r", "r", "none"],
      ["jl", "julia", "lua"],
      ["diff patch", "diff", "none"],
    ] as const
  ).flatMap(([extensions, tag, family]) =>
    extensions.split(" ").map((extension): [string, Language] => [extension, { tag, family }]),
  ),
);
