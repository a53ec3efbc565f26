import { inlineCode, markerOf } from "../../protocol/cited-place.ts";
import { describeReleases, type HistoryReply, releaseFacts } from "../../protocol/git-history.ts";
import { isPackageReference } from "../../protocol/kinds/names.ts";
import { releaseAsked } from "../../source/release-question.ts";
import { type Call, type Conversation, isResultOf, type Looking, lookUp } from "./look.ts";

/** Looks up the releases of a package, if the question is for them; undefined if it is not, or the package is not open. */
export function* lookForReleases(conversation: Conversation): Looking<HistoryReply | undefined> {
  const asked = releaseAsked(conversation.question);
  if (asked === undefined) return undefined;
  const { package: name, ...of } = asked;
  const resource = resourceOf(name, conversation) ?? (yield* open(name, conversation));
  if (resource === undefined) return undefined;
  const call: Call = { tool: "history", input: { ...of, resource } };
  yield* lookUp(conversation, `Looking up the releases of ${resource}.`, [call]);
  const { history } = conversation.results.find((result) => isResultOf(call, result)) ?? {};
  return history?.releases === undefined ? undefined : history;
}

/** The resource of the question that is the package. */
function resourceOf(name: string | undefined, { resources }: Conversation): string | undefined {
  const plain = name?.toLowerCase();
  const packages = resources.filter((one) => isPackageReference(one));
  if (plain === undefined) return packages.length === 1 ? packages[0] : undefined;
  const bare = (resource: string) => resource.toLowerCase().replace(/(?<!^|[:/])@[^/]*$/, "");
  return resources.find((one) => bare(one) === plain || bare(one).replace(/^[a-z]+:/, "") === plain);
}

function* open(name: string | undefined, conversation: Conversation): Looking<string | undefined> {
  if (name === undefined) return undefined;
  const call: Call = { tool: "open", input: { package: name } };
  yield* lookUp(conversation, `Opening ${name}.`, [call]);
  return conversation.results.find((result) => isResultOf(call, result))?.opened;
}

/** Writes each release with its date, and the lines of the changelog for it. */
export function* writeReleases({ resource, releases = [], total, notes }: HistoryReply): Generator<string> {
  yield `${inlineCode(resource)}: ${describeReleases(releases, total)}.\n`;
  let isList = false;
  for (const release of releases) {
    const facts = releaseFacts(release);
    const isBare = release.changes.length === 0;
    if (isBare) yield `${isList ? "" : "\n"}- ${facts}\n`;
    else yield `\n**${facts}**\n\n`;
    isList = isBare;
    for (const change of release.changes) yield `- \`${inlineCode(change.text.trim())}\` ${markerOf(change)}\n`;
    if (release.omittedChanges !== undefined) yield `- and ${release.omittedChanges} more items\n`;
  }
  const left = total - releases.length;
  if (left > 0) yield `\n${left} more ${left === 1 ? "release is" : "releases are"} not shown.\n`;
  for (const note of notes) yield `\n${inlineCode(`${note.charAt(0).toUpperCase()}${note.slice(1)}`)}.\n`;
}
