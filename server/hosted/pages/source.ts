import { Router } from "express";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { type LineRange, parseLineFragment, shortenRevision } from "../../protocol/citation.ts";
import { showInvisible, showInvisibleInLine } from "../../protocol/invisible.ts";
import type { SourceFile } from "../../protocol/source.ts";
import { requireKnown } from "../projects/registered.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { sendHtml } from "./respond.ts";
import type { Visitor } from "./visitors.ts";

/** Lines that are shown before and after the cited ones. */
const contextLines = 20;
const Place = z.object({ resource: z.string(), path: z.string(), revision: z.string(), lines: z.string() });

/** The page of cited lines at their revision, with what is around them. */
export function sourcePage({ visitors, callFor }: PageServices): Router {
  const router = Router();
  router.get("/p/:project/source", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const { data: place } = Place.safeParse(request.query);
    const cited = place === undefined ? undefined : parseLineFragment(place.lines);
    if (place === undefined || cited === undefined)
      throw new CitewellError("InvalidRequest", "this link does not name lines of a file");
    const { resource, path, revision } = place;
    const call = callFor(visitor, response);
    const { app, signal } = call;
    await requireKnown([resource], call);
    const startLine = Math.max(1, cited.startLine - contextLines);
    const file = await app.read(
      { resource, path, revision, startLine, endLine: cited.endLine + contextLines },
      { signal },
    );
    sendHtml(response, filePage({ visitor, file, cited }));
  });
  return router;
}

function filePage({
  visitor: { account, membership },
  file,
  cited,
}: {
  visitor: Visitor;
  file: SourceFile;
  cited: LineRange;
}): Html {
  const { resource, path, revision, text, startLine, endLine, totalLines, url } = file;
  const name = showInvisibleInLine(path);
  const rows = text
    .split("\n")
    .slice(0, endLine - startLine + 1)
    .map((line, index) => sourceRow(line, startLine + index, cited));
  const citedWords =
    cited.startLine === cited.endLine
      ? `line ${cited.startLine} is cited`
      : `lines ${cited.startLine} to ${cited.endLine} are cited`;
  const main = html`<h1><bdi>${name}</bdi></h1>
    <dl>
      <dt>Resource</dt>
      <dd>${resource}</dd>
      <dt>Revision</dt>
      <dd><code title="${revision}">${shortenRevision(revision)}</code></dd>
      <dt>Lines</dt>
      <dd>${startLine} to ${endLine} of ${totalLines}; ${citedWords}</dd>
    </dl>
    ${url !== undefined && html`<p><a href="${url}" rel="noopener noreferrer">Open at the host</a></p>`}
    <pre
      class="source"
      tabindex="0"
      role="region"
      aria-label="${name}, lines ${startLine} to ${endLine}; ${citedWords}"
    ><code dir="ltr">${rows}</code></pre>`;
  return layout({ title: name, main, account, membership });
}

function sourceRow(line: string, number: number, { startLine, endLine }: LineRange): Html {
  const content = html`<span class="number" aria-hidden="true">${number}</span>${showInvisible(line)}${"\n"}`;
  return number >= startLine && number <= endLine
    ? html`<mark class="row cited" id="L${number}">${content}</mark>`
    : html`<span class="row" id="L${number}">${content}</span>`;
}
