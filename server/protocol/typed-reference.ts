import { allPackagePrefixes } from "./kinds/names.ts";
import { parseReference, type Reference } from "./reference.ts";

/**
 * What a person typed, pasted or dropped: what `parseReference` reads, and the ways in which people have it at hand: in
 * angle brackets or quotes, as a Markdown link, after `git clone`, `npm install`, `pip install`, `cargo add`, `go get`,
 * `gem install`, `composer require` or `dotnet add package`, as a line of a JVM build file, as an ssh address, without its scheme, a package with a version but without `npm:`.
 */
export function parseTyped(text: string): Reference {
  const bare = unwrap(text.trim());
  return parseReference(addressOf(bare) ?? bare);
}

function unwrap(text: string): string {
  const link = /^!?\[[^\]]*\]\((?<target>[^)\s]+)[^)]*\)$/.exec(text)?.groups?.["target"];
  const inside = /^(?:<(.*)>|"(.*)"|'(.*)'|`(.*)`)$/
    .exec(text)
    ?.slice(1)
    .find((part) => part !== undefined);
  return (link ?? inside ?? text).trim();
}

function addressOf(text: string): string | undefined {
  const clone = /^git\s+clone\s(?:.*\s)?(?<address>(?:https?:\/\/|ssh:\/\/|git@)\S+)/.exec(text)?.groups?.["address"];
  if (clone !== undefined) return addressOf(clone) ?? clone;
  const install = /^(?:npm|pnpm|yarn|bun)\s+(?:i|install|add)\s+(?:-\S+\s+)*(?<name>[^\s-]\S*)/.exec(text)?.groups?.[
    "name"
  ];
  if (install !== undefined) return `npm:${install}`;
  const python =
    /^(?:(?:python3? -m |uv )?pip3? install|(?:uv|poetry|pdm|rye) add|pipenv install)\s+(?:-\S+\s+)*["']?(?<name>[^\s"'-][^\s"']*)/.exec(
      text,
    )?.groups?.["name"];
  if (python !== undefined)
    return `pypi:${python.replace(/\[[^\]]*\]/, "").replace(/^([\w.-]+)(?:==|(?=[<>=!~]))/, "$1@")}`;
  const rust =
    /^cargo\s+(?:add|install|binstall|info)\s+(?:-\S+\s+)*(?<name>[a-zA-Z][^\s]*)(?:.*\s--version[\s=]+=?(?<version>\S+))?/.exec(
      text,
    )?.groups;
  if (rust !== undefined) return `cargo:${rust["name"]}${rust["version"] === undefined ? "" : `@${rust["version"]}`}`;
  const go = /^go\s+(?:get|install|run|mod\s+download)\s+(?:-\S+\s+)*(?<name>[^\s.-]\S*)/.exec(text)?.groups?.["name"];
  if (go !== undefined) return `go:${go.replace(/\/(?:\.\.\.)?(?=@|$)/, "")}`;
  const other = otherInstalls.exec(text)?.groups;
  if (other !== undefined)
    return `${other["composer"] ? "composer" : other["nuget"] ? "nuget" : "gem"}:${other["name"]}`;
  const jvm = coordinatesOf(text);
  if (jvm !== undefined) return `maven:${jvm}`;
  const ssh = /^(?:ssh:\/\/)?git@(?<host>[\w.-]+)[:/](?<path>[\w./~-]+)$/.exec(text)?.groups;
  if (ssh !== undefined) return `https://${ssh["host"]}/${ssh["path"]?.replace(/\.git$/, "")}`;
  if (versionedPackage.test(text)) return `npm:${text}`;
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+\/[^/\s]+\/\S+$/i.test(text) ? `https://${text}` : undefined;
}

/** They are read at the version that is installed. */
const otherInstalls =
  /^(?:(?<composer>composer\s+(?:global\s+)?require)|(?<nuget>dotnet\s+add\s+(?:\S+\s+)?package|Install-Package)|gem\s+install|bundle\s+add)\s+(?:-\S+\s+)*["']?(?<name>[\w./-]*\w)/;

/** A line of a Gradle script, a `<dependency>` of a POM, or `group:artifact:version`, as coordinates. */
function coordinatesOf(text: string): string | undefined {
  const [group, artifact, version] = ["groupId", "artifactId", "version"].map(
    (name) => new RegExp(`<${name}>\\s*([\\w.-]+)\\s*</${name}>`).exec(text)?.[1],
  );
  if (group !== undefined && artifact !== undefined) return [group, artifact, ...(version ? [version] : [])].join(":");
  if (allPackagePrefixes.some((prefix) => text.startsWith(`${prefix}:`))) return undefined;
  return /^(?:\w+[\s(]+(?:\w+\()?["'])?([a-z][\w-]+(?:\.[\w-]+)*:[a-z][\w.-]*(?::[\w-]+)*:\d[\w.+-]*(?::[a-z]+)?)["')\s]*$/i.exec(
    text,
  )?.[1];
}

/** `zod@3`, `@scope/name@^1.2.0`, `next@canary`; an e-mail address is none. */
const versionedPackage =
  /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*@(?:[\^~]?v?\d[\w.+-]*|latest|next|alpha|beta|canary|rc)$/i;

/** `owner/repository`, as GitHub shows it, as a URL. It could also be a folder: offer it, do not assume it. */
export function gitHubUrl(text: string): string | undefined {
  return /^[a-z\d](?:[a-z\d-]{0,38})\/[\w.-]*\w$/i.test(text.trim()) ? `https://github.com/${text.trim()}` : undefined;
}
