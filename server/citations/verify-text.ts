import { type Citation, isProved } from "../protocol/citation.ts";
import { encodeName, type Marker } from "../protocol/passage.ts";
import type { VerifiedCitation } from "../protocol/verify.ts";
import type { CitedResources } from "./cited-resources.ts";
import { type Claim, findCitations, looksLikeFile } from "./find.ts";
import { namesFile, parseLoose, readExact } from "./read-markers.ts";
import { noFileBefore } from "./sources.ts";
import { createResolver, type Resolution, type Resolver } from "./resolve.ts";
import { verifyCitation } from "./verify.ts";

/**
 * Checks what any text cites, as `checkCitations` does for an answer; but nothing was shown to anyone, so every line
 * counts as shown. A citation is checked at the revision that it names.
 */
export async function verifyText(
  text: string,
  { cited, signal }: { cited: CitedResources; signal: AbortSignal },
): Promise<VerifiedCitation[]> {
  const resolver = createResolver(cited);
  const verified: VerifiedCitation[] = [];
  let before: Resolution = { type: "fault", state: "missing", reason: noFileBefore, resource: "", path: "" };
  for (const { line, text: written, claim } of findCitations(text)) {
    for (const { resolution, lines } of await resolveClaim(claim, { resolver, before })) {
      before = resolution;
      const citation = await verifyLines(lines, { id: `c${verified.length + 1}`, resolution, resolver, signal });
      verified.push({ ...citation, at: { line, text: written } });
    }
  }
  return verified;
}

type CitedLines = Omit<Marker, "target">;

interface ResolvedClaim {
  resolution: Resolution;
  lines: CitedLines;
}

/** One citation, those of a list, or none where the claim is no citation after all. */
async function resolveClaim(
  claim: Claim,
  { resolver, before }: { resolver: Resolver; before: Resolution },
): Promise<ResolvedClaim[]> {
  if (claim.type !== "marker") {
    const resolution = await resolver.claim(claim);
    return resolution === undefined ? [] : [{ resolution, lines: claim }];
  }
  const resolved: ResolvedClaim[] = [];
  for (const { target, ...lines } of readExact(claim.body)) {
    resolved.push({ resolution: target === "" ? before : await resolver.target(target), lines });
  }
  if (resolved.length > 0) return resolved;
  const loose = parseLoose(claim.body);
  if (loose === undefined) return [];
  if (loose.endLine === 0 && /.@./.test(loose.target)) {
    const { target, ...lines } = loose;
    const resolution = await resolver.commit(target);
    return resolution === undefined ? [] : [{ resolution, lines }];
  }
  if (!(namesFile(loose) || hasLines(loose))) return [];
  const { target, ...lines } = loose;
  const resolution = await resolver.target(target);
  return namesFile(loose) || resolution.type === "file" ? [{ resolution, lines }] : [];
}

/** `[[notes.md]]` links to a note in many documents. */
function hasLines({ target, endLine }: Marker): boolean {
  return endLine > 0 && looksLikeFile(target);
}

const everythingShown = { shown: () => [{ startLine: 1, endLine: Number.MAX_SAFE_INTEGER }] };

async function verifyLines(
  { startLine, endLine, quote }: CitedLines,
  options: { id: string; resolution: Resolution; resolver: Resolver; signal: AbortSignal },
): Promise<Citation> {
  const { id, resolution, resolver, signal } = options;
  const quoted = quote === undefined ? {} : { quote };
  if (resolution.type === "fault") {
    const { state, reason, resource, path, commit } = resolution;
    const at = commit === undefined ? {} : { commit };
    return { id, resource, path, startLine, endLine, ...quoted, state, reason, revision: "", ...at };
  }
  const { snapshot, path, citedRevision } = resolution;
  const at = citedRevision ?? (path === "" ? snapshot.revision : undefined);
  const revision = at === undefined ? "" : `@${at.replaceAll(":", "%3A")}`;
  const target = `${encodeName(snapshot.resource)}${revision}${path === "" ? "" : `:${encodeName(path)}`}`;
  const marker = { target, startLine, endLine, ...quoted };
  const sources = resolver.sourcesOf(snapshot);
  const { citation } = await verifyCitation(marker, { id, sources, ledger: everythingShown, signal });
  // Nothing was shown that could tell that this file is the one that is meant.
  const isGuess = citation.path !== path && isProved(citation);
  return isGuess ? { ...citation, state: "mismatch" } : citation;
}
