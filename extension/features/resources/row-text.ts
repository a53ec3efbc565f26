import type { ResourceListing } from "../../../server/protocol/resource.ts";
import { sentence } from "../../sentence.ts";
import { formatAge, formatCount, formatSize, type L10n } from "./amounts.ts";
import { escapeMarkdown } from "./markdown.ts";
import { isCommit, isPinned, pathsOf, versionOf } from "./revision.ts";

/** What a row's text depends on beside the resource. */
export interface RowContext {
  l10n: L10n;
  /** The editor's language. */
  locale: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** What a refresh says at the moment, where one runs. */
  progress?: string | undefined;
  /** A path for people: relative to the workspace where it lies in it. */
  shortPath(path: string): string;
}

/** The name of a codicon and of a theme colour. The words of the row say the same. */
export function iconOf(
  { type, state, origin }: ResourceListing,
  isRefreshing: boolean,
): { id: string; color?: string } {
  if (isRefreshing) return { id: "loading~spin" };
  if (state === "failed") return { id: "error", color: "list.errorForeground" };
  if (state === "absent" && type === "local") return { id: "warning", color: "list.warningForeground" };
  if (origin === "project") return { id: "root-folder" };
  if (state === "stale") return { id: kindIcons[type], color: "list.warningForeground" };
  return { id: kindIcons[type] };
}

const kindIcons = { git: "repo", local: "folder-library", npm: "package" } as const;

export function kindWords(type: ResourceListing["type"], l10n: L10n): string {
  switch (type) {
    case "git":
      return l10n.t("Git repository");
    case "local":
      return l10n.t("Local folder");
    case "npm":
      return l10n.t("npm package");
  }
}

export function stateWords({ type, state, failure }: ResourceListing, l10n: L10n): string {
  switch (state) {
    case "ready":
      return l10n.t("ready");
    case "absent":
      return type === "local" ? l10n.t("folder not found") : l10n.t("not fetched yet");
    case "stale":
      return failure === null ? l10n.t("stale") : l10n.t("could not be refreshed");
    case "failed":
      return l10n.t("failed");
  }
}

/** Behind the name: `main@abc1234 · 3 d`, `5.3.0 · installed`, `src/lib`; with the state where it is not ready. */
export function describeRow(listing: ResourceListing, { l10n, now, progress, shortPath }: RowContext): string {
  const { fetchedAt, state } = listing;
  const age = fetchedAt === null ? undefined : formatAge(now - Date.parse(fetchedAt), l10n);
  const words = state === "ready" ? undefined : stateWords(listing, l10n);
  const origin = originOf(listing, { l10n, shortPath });
  // A path may be long, and what comes behind it out of sight.
  const parts = listing.type === "local" ? [words, origin] : [origin, age, progress ?? words];
  return parts.filter((part) => part !== undefined && part !== "").join(" · ");
}

/** What the hover shows, as Markdown that is not trusted. */
export function tooltipOf(listing: ResourceListing, { l10n, locale, now, progress }: RowContext): string {
  const { fetchedAt, sizeBytes, fileCount, specialNotes } = listing;
  const fetched = fetchedAt === null ? undefined : new Date(fetchedAt);
  const facts = [
    listing.origin === "project" ? l10n.t("Open project") : kindWords(listing.type, l10n),
    ...placeOf(listing, l10n),
    listing.revision === null ? undefined : l10n.t("Revision: {0}", escapeMarkdown(listing.revision)),
    fetched && l10n.t("Fetched: {0} ({1})", formatDate(fetched, locale), formatAge(now - fetched.getTime(), l10n)),
    sizeBytes === null ? undefined : l10n.t("Size: {0}", formatSize(sizeBytes, locale)),
    fileCount === null ? undefined : l10n.t("Files: {0}", formatCount(fileCount, locale)),
    specialNotes === null ? undefined : l10n.t("Notes: {0}", escapeMarkdown(specialNotes)),
  ].filter((fact) => fact !== undefined);
  const title = `**${escapeMarkdown(listing.name)}**`;
  const state = progress === undefined ? advice(listing, l10n) : [escapeMarkdown(progress)];
  return [title, facts.join("  \n"), ...state].join("\n\n");
}

/** What a screen reader says of the row. */
export function spokenRow(listing: ResourceListing, context: RowContext): string {
  const { l10n, progress } = context;
  const { name, type, origin } = listing;
  const state = progress ?? stateWords(listing, l10n);
  const kind = origin === "project" ? l10n.t("Open project") : kindWords(type, l10n);
  return [name, kind, originOf(listing, context), state].filter((part) => part !== "").join(", ");
}

function originOf(listing: ResourceListing, { l10n, shortPath }: Pick<RowContext, "l10n" | "shortPath">): string {
  const { type, branch, revision, fetchedAt, version, path, installedVersion } = listing;
  switch (type) {
    case "git": {
      const commit = shortRevision(revision ?? branch ?? "");
      if (isPinned(listing)) return l10n.t("pinned to {0}", commit);
      return revision === null ? `${branch}` : `${branch}@${commit}`;
    }
    case "npm":
      if (revision === null) return version ?? "";
      if (installedVersion !== undefined) {
        return l10n.t("{0}, not the installed {1}", versionOf(revision), installedVersion);
      }
      return fetchedAt === null ? l10n.t("{0} · installed", versionOf(revision)) : versionOf(revision);
    case "local":
      return path === null ? "" : shortPath(path);
  }
}

function shortRevision(revision: string): string {
  return isCommit(revision) ? revision.slice(0, 7) : revision;
}

function placeOf(listing: ResourceListing, l10n: L10n): string[] {
  const { url, branch, path, version } = listing;
  switch (listing.type) {
    case "git": {
      const paths = pathsOf(listing).map(escapeMarkdown).join(", ");
      return [
        l10n.t("Repository: {0}", escapeMarkdown(url ?? "")),
        l10n.t("Branch: {0}", escapeMarkdown(branch ?? "")),
        ...(paths === "" ? [] : [l10n.t("Only below: {0}", paths)]),
      ];
    }
    case "local":
      return [l10n.t("Folder: {0}", escapeMarkdown(path ?? ""))];
    case "npm":
      return [
        l10n.t("Package: {0}", escapeMarkdown(listing.package ?? "")),
        ...(version === null ? [] : [l10n.t("Version: {0}", escapeMarkdown(version))]),
      ];
  }
}

/** How it stands, and what can be done about it. */
function advice({ type, state, failure }: ResourceListing, l10n: L10n): string[] {
  const reason = failure === null ? [] : [escapeMarkdown(sentence(failure))];
  switch (state) {
    case "ready":
      return [];
    case "absent":
      return type === "local"
        ? [l10n.t("The folder is not there. Change its path in the configuration, or remove the resource.")]
        : [l10n.t("It is not fetched yet. The first question fetches it, or fetch it now.")];
    case "stale":
      return reason.length === 0
        ? [l10n.t("A newer revision may exist. The next question looks for it, or refresh it now.")]
        : [l10n.t("It could not be refreshed, so that questions are answered from what is here:"), ...reason];
    case "failed":
      return [
        l10n.t("It could not be fetched:"),
        ...reason,
        l10n.t("Refresh it to try again, change it in the configuration, or remove it."),
      ];
  }
}

function formatDate(date: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(date);
}
