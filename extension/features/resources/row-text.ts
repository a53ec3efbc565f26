import { kindOf, kinds } from "../../../server/protocol/kinds/kinds.ts";
import type { ResourceListing } from "../../../server/protocol/resource.ts";
import { sentence } from "../../sentence.ts";
import { formatAge, formatCount, formatSize, type L10n } from "./amounts.ts";
import { escapeMarkdown } from "./markdown.ts";

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
  const kind = kinds[type];
  if (state === "absent" && !kind.isFetched) return { id: "warning", color: "list.warningForeground" };
  if (origin === "project") return { id: "root-folder" };
  if (state === "stale") return { id: kind.icon, color: "list.warningForeground" };
  return { id: kind.icon };
}

/** Whether a refresh can bring a newer revision: not for what is read in place. */
export function canRefresh(listing: ResourceListing): boolean {
  return kindOf(listing).isFetched;
}

export function stateWords(listing: ResourceListing, l10n: L10n): string {
  const { state, indexed } = listing;
  switch (state) {
    case "ready":
      return indexed === undefined ? l10n.t("ready") : l10n.t("indexing {0} %", Math.floor(100 * indexed));
    case "absent":
      return kindOf(listing).absent(l10n).words;
    case "stale":
      return listing.failure === null ? l10n.t("stale") : l10n.t("could not be refreshed");
    case "failed":
      return l10n.t("failed");
  }
}

/** Behind the name: `main@abc1234 · 3 d`, `5.3.0 · installed`, `src/lib`; with the state where it is not ready. */
export function describeRow(listing: ResourceListing, { l10n, now, progress, shortPath }: RowContext): string {
  const { fetchedAt, state, indexed } = listing;
  const age = fetchedAt === null ? undefined : formatAge(now - Date.parse(fetchedAt), l10n);
  const words = state === "ready" && indexed === undefined ? undefined : stateWords(listing, l10n);
  const origin = currentOf(listing, { l10n, shortPath });
  const example = listing.origin === "default" ? l10n.t("example") : undefined;
  // A path may be long, and what comes behind it out of sight.
  const parts = kindOf(listing).isFetched ? [example, origin, age, progress ?? words] : [words, origin];
  return parts.filter((part) => part !== undefined && part !== "").join(" · ");
}

/** What the hover shows, as Markdown that is not trusted. */
export function tooltipOf(listing: ResourceListing, { l10n, locale, now, progress }: RowContext): string {
  const { fetchedAt, sizeBytes, fileCount, specialNotes } = listing;
  const fetched = fetchedAt === null ? undefined : new Date(fetchedAt);
  const translate = l10n.t.bind(l10n);
  const facts = [
    listing.origin === "project" ? l10n.t("Open project") : kindOf(listing).label(l10n),
    listing.origin === "default" ? l10n.t("Example: listed until you add a resource to every project") : undefined,
    ...kindOf(listing).facts(listing, { t: (text, ...values) => translate(text, ...values.map(escapeMarkdown)) }),
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
  const { name, origin } = listing;
  const state = progress ?? stateWords(listing, l10n);
  const kind = origin === "project" ? l10n.t("Open project") : kindOf(listing).label(l10n);
  return [name, kind, currentOf(listing, context), state].filter((part) => part !== "").join(", ");
}

function currentOf(listing: ResourceListing, { l10n, shortPath }: Pick<RowContext, "l10n" | "shortPath">): string {
  return kindOf(listing).current(listing, { t: l10n.t.bind(l10n), shortPath });
}

/** The state, and what to do about it. */
function advice(listing: ResourceListing, l10n: L10n): string[] {
  const { state, failure } = listing;
  const reason = failure === null ? [] : [escapeMarkdown(sentence(failure))];
  switch (state) {
    case "ready":
      return [];
    case "absent":
      return [kindOf(listing).absent(l10n).advice];
    case "stale":
      return reason.length === 0
        ? [l10n.t("A newer revision may exist. The next question looks for it, or refresh it now.")]
        : [l10n.t("It could not be refreshed, so questions are answered from the local copy:"), ...reason];
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
