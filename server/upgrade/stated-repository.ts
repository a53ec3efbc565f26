import type { Snapshot } from "../resources/snapshot.ts";

/** Files at the root of a package that can name its repository, in each ecosystem. */
const manifest =
  /^(?:package\.json|composer\.json|Cargo\.toml|pyproject\.toml|setup\.cfg|PKG-INFO|pom\.xml|[^/]+\.(?:nuspec|gemspec)|[^/]+\.dist-info\/METADATA|META-INF\/maven\/[^/]+\/[^/]+\/pom\.xml)$/;
const host = String.raw`(?<host>github\.com|gitlab\.com|codeberg\.org|bitbucket\.org)[/:](?!sponsors\/)(?<owner>[\w.-]+)\/(?<name>[\w.-]+?)(?=\.git\b|[^\w.-]|\.?$)`;
/** What names a repository for sure comes before an address of any other kind. */
const forms = [
  new RegExp(String.raw`(?:repository|source|scm|code)\b[^}\]]{0,80}?\b${host}`, "im"),
  new RegExp(String.raw`\b${host}`, "im"),
];

/**
 * The address of the repository that a package names: in its manifest, or by its own name as Go modules do. Undefined if
 * it names none on a public host.
 */
export async function statedRepository(
  name: string,
  snapshot: Snapshot,
  { signal }: { signal: AbortSignal },
): Promise<string | undefined> {
  const texts = [name];
  for (const { path } of snapshot.files.filter((file) => manifest.test(file.path))) {
    const source = await snapshot.read(path, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (source === undefined) continue;
    const short = /"repository"\s*:\s*"(?:github:)?([\w-]+\/[\w.-]+)"/.exec(source.text)?.[1];
    texts.push(...(short === undefined ? [] : [`repository: github.com/${short}`]), source.text);
  }
  for (const form of forms) {
    const found = texts.map((text) => form.exec(text)?.groups).find((groups) => groups !== undefined);
    if (found !== undefined) return `https://${found["host"]}/${found["owner"]}/${found["name"]}`;
  }
  return undefined;
}
