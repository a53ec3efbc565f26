import { Router } from "express";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { type LineRange, parseLineFragment, shortenRevision } from "../../protocol/citation.ts";
import { showInvisible, showInvisibleInLine } from "../../protocol/invisible.ts";
import type { SourceFile } from "../../protocol/source.ts";
import { highlightCode } from "../../source/highlight.ts";
import { languageOf } from "../../source/languages.ts";
import { requireKnown } from "../projects/registered.ts";
import { codeLine } from "./code.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { sendHtml } from "./respond.ts";
import type { Visitor } from "./visitors.ts";

/** Lines that are shown before and after the cited ones. */
const contextLines = 20;
/** Lines before these that are read for the colours: a comment or a string may be open where the shown lines begin. */
const openLines = 5000;
const Place = z.object({ resource: z.string(), path: z.string(), revision: z.string(), lines: z.string().optional() });

/** The page of cited lines at their revision, with what is around them; without a path, of a commit. */
export function sourcePage({ visitors, callFor }: PageServices): Router {
  const router = Router();
  router.get("/p/:project/source", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const { data: place } = Place.safeParse(request.query);
    const cited = place?.lines === undefined ? undefined : parseLineFragment(place.lines);
    if (place === undefined || (cited === undefined) !== (place.path === ""))
      throw new CitewellError("InvalidRequest", "this link does not name lines of a file");
    const { resource, path, revision } = place;
    const call = callFor(visitor, response);
    const { app, signal } = call;
    await requireKnown([resource], call);
    const first = cited === undefined ? 1 : Math.max(1, cited.startLine - contextLines);
    const range = cited && { startLine: Math.max(1, first - openLines), endLine: cited.endLine + contextLines };
    const file = await app.read({ resource, path, revision, ...range }, { signal });
    sendHtml(response, filePage({ visitor, file, cited, first }));
  });
  return router;
}

function filePage({
  visitor: { account, membership },
  file,
  cited,
  first,
}: {
  visitor: Visitor;
  file: SourceFile;
  cited: LineRange | undefined;
  /** The first line that is shown; the file begins with lines before it. */
  first: number;
}): Html {
  const { resource, path, revision, text, startLine, endLine, totalLines, url } = file;
  const name = cited === undefined ? `Commit ${shortenRevision(revision)}` : showInvisibleInLine(path);
  const rows = highlightCode(languageOf(path), showInvisible(text))
    .slice(first - startLine, endLine - startLine + 1)
    .map((line, index) => sourceRow(codeLine(line), first + index, cited));
  const citedWords =
    cited === undefined
      ? "its message and its changes"
      : cited.startLine === cited.endLine
        ? `line ${cited.startLine} is cited`
        : `lines ${cited.startLine} to ${cited.endLine} are cited`;
  const main = html`<h1><bdi>${name}</bdi></h1>
    <dl>
      <dt>Resource</dt>
      <dd>${resource}</dd>
      <dt>Revision</dt>
      <dd><code title="${revision}">${shortenRevision(revision)}</code></dd>
      <dt>Lines</dt>
      <dd>${first} to ${endLine} of ${totalLines}; ${citedWords}</dd>
    </dl>
    ${url !== undefined && html`<p><a href="${url}" rel="noopener noreferrer">Open at the host</a></p>`}
    <pre
      class="source"
      tabindex="0"
      role="region"
      aria-label="${name}, lines ${first} to ${endLine}; ${citedWords}"
    ><code dir="ltr">${rows}</code></pre>`;
  return layout({ title: name, main, account, membership });
}

function sourceRow(line: Html, number: number, cited: LineRange | undefined): Html {
  const content = html`<span class="line-number" aria-hidden="true">${number}</span>${line}${"\n"}`;
  return cited !== undefined && number >= cited.startLine && number <= cited.endLine
    ? html`<mark class="row cited" id="L${number}">${content}</mark>`
    : html`<span class="row" id="L${number}">${content}</span>`;
}
