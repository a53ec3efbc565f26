/** The part of the text before the cursor that begins a mention, and what it could become. */
export interface MentionCompletion<Resource> {
  /** The word with its `@`; it ends at the cursor. */
  word: string;
  candidates: readonly { mention: string; resource: Resource }[];
}

/**
 * Completes a mention that the text before the cursor ends with; undefined where it ends with none. Names that begin
 * with the word come before those that contain it.
 */
export function completeMention<Resource extends { name: string }>(
  before: string,
  resources: readonly Resource[],
): MentionCompletion<Resource> | undefined {
  const word = /(?:^|[\s(])(@\S*)$/.exec(before)?.[1];
  if (word === undefined) return undefined;
  const wanted = withoutAt(word).toLowerCase();
  const found = resources
    .map((resource) => ({ resource, bare: withoutAt(resource.name) }))
    .map(({ resource, bare }) => ({ resource, mention: `@${bare}`, at: bare.toLowerCase().indexOf(wanted) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => Math.min(a.at, 1) - Math.min(b.at, 1) || a.mention.localeCompare(b.mention));
  return { word, candidates: found.map(({ mention, resource }) => ({ mention, resource })) };
}

/** The name of a scoped package begins with an `@`, which the mention shares. */
function withoutAt(name: string): string {
  return name.replace(/^@/, "");
}
