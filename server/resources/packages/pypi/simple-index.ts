import * as z from "zod";
import { parseJson } from "../../../lib/parse-json.ts";
import { integrityOf } from "../integrity.ts";
import { normalizeName } from "./names.ts";
import { isVersion } from "./pep440.ts";

/** A file that an index lists for a package. */
export interface IndexFile {
  filename: string;
  version: string;
  /** Absolute. */
  url: string;
  /** Its checksums, as subresource integrity; undefined without any. */
  integrity: string | undefined;
  isYanked: boolean;
  sizeBytes: number | undefined;
  /** When it was uploaded, by an index of PEP 700. */
  uploadedAt: string | undefined;
}

/** JSON (PEP 691) where an index has it, else HTML (PEP 503). */
export const accept =
  "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.2, text/html; q=0.1";

const Page = z.object({
  files: z.array(
    z.object({
      filename: z.string(),
      url: z.string(),
      hashes: z.record(z.string(), z.string()).catch({}),
      yanked: z.union([z.boolean(), z.string()]).catch(false),
      size: z.number().optional().catch(undefined),
      "upload-time": z.string().optional().catch(undefined),
    }),
  ),
});

/** The wheels and source archives of a package; undefined if the text is no page of an index. */
export function readIndexPage(
  text: string,
  { name, contentType, address }: { name: string; contentType: string; address: URL },
): IndexFile[] | undefined {
  const files = contentType.includes("json") ? fromJson(text) : fromHtml(text);
  return files?.flatMap((file) => {
    const version = versionOfFile(file.filename, name);
    const isReadable = version !== undefined && isVersion(version) && URL.canParse(file.url, address.href);
    return isReadable ? [{ ...file, version, url: new URL(file.url, address).href }] : [];
  });
}

type ListedFile = Omit<IndexFile, "version">;

function fromJson(text: string): ListedFile[] | undefined {
  return Page.safeParse(parseJson(text)).data?.files.map(({ filename, url, hashes, yanked, size, ...file }) => ({
    filename,
    url,
    integrity: integrityOf(Object.entries(hashes).map((entry) => entry.join(":"))),
    isYanked: yanked !== false,
    sizeBytes: size,
    uploadedAt: file["upload-time"],
  }));
}

function fromHtml(text: string): ListedFile[] | undefined {
  if (!/<(?:!doctype html|html|a\s)/i.test(text)) return undefined;
  return [...text.matchAll(/<a\s([^>]*)>([^<]*)<\/a>/gi)].flatMap(([, attributes = "", label = ""]) => {
    const href = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes);
    const url = unescapeHtml(href?.[1] ?? href?.[2] ?? "");
    if (url === "") return [];
    const [, algorithm = "", hash = ""] = /#(\w+)=([0-9a-f]+)/i.exec(url) ?? [];
    return [
      {
        filename: unescapeHtml(label).trim(),
        url: url.replace(/#.*$/, ""),
        integrity: integrityOf([`${algorithm}:${hash}`]),
        isYanked: /\bdata-yanked\b/i.test(attributes),
        sizeBytes: undefined,
        uploadedAt: undefined,
      },
    ];
  });
}

function unescapeHtml(text: string): string {
  const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'" };
  return text.replace(/&(\w+|#\w+);/g, (written, name: string) => named[name.toLowerCase()] ?? written);
}

/** `requests-2.32.3-py3-none-any.whl`, `zope.interface-5.0.tar.gz`. */
function versionOfFile(filename: string, name: string): string | undefined {
  const wheel = /^([^-]+)-([^-]+)(?:-\d[^-]*)?-[^-]+-[^-]+-[^-]+\.whl$/.exec(filename);
  if (wheel !== null) return wheel[2];
  const stem = /^(.+)\.(?:tar\.gz|tgz|zip)$/.exec(filename)?.[1];
  const dashes = [...(stem ?? "").matchAll(/-/g)].map(({ index }) => index);
  const end = dashes.find((at) => normalizeName((stem ?? "").slice(0, at)) === normalizeName(name));
  return end === undefined ? undefined : stem?.slice(end + 1);
}
