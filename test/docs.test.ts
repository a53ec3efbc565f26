import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "..");
/** Examples quote documents of other repositories, with their links. */
const documents = [...documentsIn("."), ...documentsIn("docs"), ...documentsIn("bench/retrieval")].filter(
  (file) => !file.startsWith("docs/examples/"),
);

const sources = ["server", "client", "cli", "extension", "scripts", "bench", "test", "."].flatMap(sourcesIn);

describe("documents", () => {
  test("every relative link leads to a file, and to a heading of it", () => {
    expect(documents.length).toBeGreaterThan(50);
    expect(documents.flatMap(brokenLinks)).toEqual([]);
  });

  test("every page is in the list of pages", () => {
    const list = read("docs/README.md");
    const pages = documents.filter(
      (file) => /^docs\/(?:development\/)?[^/]+\.md$/.test(file) && file !== "docs/README.md",
    );
    expect(pages.filter((file) => !list.includes(`](${path.posix.relative("docs", file)})`))).toEqual([]);
  });

  test("every file that the map and the guides name exists", () => {
    const guides = documents.filter((file) =>
      /^docs\/development\/(?:adding-|architecture|editor|starting)/.test(file),
    );
    const missing = guides.flatMap((guide) => {
      const named = [...read(guide).matchAll(/`(?:\.\.\/)?([\w/.-]+\.(?:tsx?|mjs))`/g)].map(([, file]) => file ?? "");
      return named.filter(
        (file) => !file.startsWith("dist/") && !sources.some((source) => `/${source}`.endsWith(`/${file}`)),
      );
    });
    expect(missing).toEqual([]);
  });

  test("every invariant of the architecture names tests that exist", () => {
    const section = read("docs/development/architecture.md")
      .split("\n## ")
      .find((text) => text.startsWith("Invariants"));
    const invariants = section?.split("\n- ").slice(1) ?? [];
    expect(invariants.length).toBeGreaterThan(10);
    const faults = invariants.filter((text) => {
      const tests = [...(text.split(" Held by ")[1] ?? "").matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file ?? "");
      return tests.length === 0 || !tests.every((file) => existsSync(path.join(root, file)));
    });
    expect(faults).toEqual([]);
  });

  test("every decision has its status and date, and the index has the same", () => {
    const index = read("docs/decisions/README.md");
    const files = readdirSync(path.join(root, "docs/decisions")).filter((name) => /^\d{4}-/.test(name));
    const faults = files.filter((name) => {
      const text = read(`docs/decisions/${name}`);
      const { number, title, status, date } =
        /^# (?<number>\d+)\. (?<title>.+)\n\n\*(?<status>\w[^,]*), (?<date>\d{4}-\d\d-\d\d)\.\*\n/.exec(text)?.groups ??
        {};
      return !index.includes(`| ${number} | [${title}](${name}) | ${status?.toLowerCase()} | ${date} |`);
    });
    expect(faults).toEqual([]);
  });
});

function brokenLinks(file: string): string[] {
  const text = withoutCode(read(file));
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? "");
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [target = "", heading] = link.split("#");
      const place = target === "" ? file : path.posix.join(path.posix.dirname(file), target);
      if (!existsSync(path.join(root, place))) return true;
      return heading !== undefined && place.endsWith(".md") && !headingsOf(place).has(heading);
    })
    .map((link) => `${file}: ${link}`);
}

/** Makes the anchor of a heading from its text as GitHub does. */
function headingsOf(file: string): Set<string> {
  const headings = [
    ...read(file)
      .replace(/```[^]*?```/g, "")
      .matchAll(/^#+ (.*)$/gm),
  ].map(([, text]) => text ?? "");
  return new Set(
    headings.map((text) =>
      text
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_\- ]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

function withoutCode(text: string): string {
  return text.replace(/```[^]*?```/g, "").replace(/`[^`\n]*`/g, "");
}

function documentsIn(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: folder !== ".", encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.posix.join(folder, name.split(path.sep).join("/")));
}

function sourcesIn(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: folder !== ".", encoding: "utf8" })
    .filter((name) => /\.(?:tsx?|mjs)$/.test(name))
    .map((name) => path.posix.join(folder, name.split(path.sep).join("/")));
}

function read(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}
