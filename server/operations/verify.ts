import path from "node:path";
import { checkLinks } from "../citations/check-links.ts";
import { verifyText } from "../citations/verify-text.ts";
import type { VerifyReply, VerifyRequest } from "../protocol/verify.ts";
import { realPath } from "../resources/real-paths.ts";
import { languageOf } from "../source/languages.ts";
import { openCited, type OpenedResources, type VerifyContext } from "./cited-resources.ts";
import type { Call, Context, TenantServices } from "./context.ts";
import { type KnownResources, knownResources } from "./known-resources.ts";
import { describeUnavailable } from "./open.ts";
import { describeSnapshots } from "./server-paths.ts";
import { selectTargets, type Target } from "./targets.ts";

/**
 * What a text cites, checked: what a citation names by itself, and paths against the document's project and what the
 * request is about. Asks no model.
 * @throws ResourceNotFound, InvalidRequest, and what opening throws, for a resource that the request names
 */
export async function verify(
  { text, resources: asked = [], ...request }: VerifyRequest,
  { caller, tenant }: Context,
  { signal }: Call,
): Promise<VerifyReply> {
  const context = await verifyContext(request, tenant);
  const { known, places } = context;
  const areNamed = asked.length > 0;
  const place = await placeDocument(request, context);
  const { project } = place;
  const unnamed = project === undefined ? known.unnamed : [...new Set([project, ...known.unnamed])];
  const targets = areNamed ? selectTargets(asked, known, places) : unnamed;
  const own = targets.find((target) => (project === undefined ? isOpen(target, known) : target === project));
  await using cited = openCited(context, { targets, areNamed, own, folder: place.folder, signal });
  if (areNamed) await requireAll(targets, cited);
  const citations = await verifyText(text, { cited, signal });
  const links = isMarkdown(request.file) ? await checkLinks(text, { cited }) : [];
  return {
    citations,
    ...(links.length === 0 ? {} : { links }),
    snapshots: describeSnapshots(cited.snapshots(), caller),
    ...describeUnavailable(cited.unavailable()),
  };
}

/** A text without a file is Markdown. */
function isMarkdown(file: string | undefined): boolean {
  return file === undefined || languageOf(file).family === "markdown";
}

/** The document's own project comes before the open ones. */
async function verifyContext(
  { file, scope = "project" }: Pick<VerifyRequest, "file" | "scope">,
  { config, places, patience, projects, openings: resources, threads }: TenantServices,
): Promise<VerifyContext> {
  const own = file === undefined ? undefined : await projects.rootOf?.(path.dirname(file));
  const folders = [...(own === undefined ? [] : [own]), ...(await projects.folders())];
  const known = knownResources(config, { folders, scope });
  return { known, places, resources, patience, threads, projectOf: projects.rootOf };
}

/** The document's folder, and the project that it is in, if any. */
async function placeDocument(
  { file, scope }: Pick<VerifyRequest, "file" | "scope">,
  { known, places, projectOf }: VerifyContext,
): Promise<{ folder: string | undefined; project: Target | undefined }> {
  if (file === undefined) return { folder: scope === "configured" ? undefined : places.cwd, project: undefined };
  const folder = path.dirname(file);
  const root = await projectOf?.(folder);
  const project = known.projects.find((spec) => path.resolve(spec.path) === root);
  return { folder: (await realPath(folder)) ?? folder, project };
}

function isOpen(target: Target, { projects }: Pick<KnownResources, "projects">): boolean {
  return projects.some((project) => project === target);
}

/** As a question, a request needs each resource that it names. */
async function requireAll(targets: readonly Target[], cited: OpenedResources): Promise<void> {
  await Promise.all(targets.map((target) => cited.open(target)));
  const [first] = cited.unavailable();
  if (first !== undefined) throw first.error;
}
