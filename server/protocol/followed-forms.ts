import * as z from "zod";
import { AllFilters, GroupName, HostKind } from "./followed-accounts.ts";
import { hostKindNames } from "./host-kinds.ts";
import { GitPlace } from "./hosted.ts";

const words = z
  .string()
  .default("")
  .transform((text) => text.split(/[\s,]+/).filter((word) => word !== ""));
const isTicked = z
  .string()
  .optional()
  .transform((value) => value !== undefined);

/** `FollowFilters` as the web page's form has them: patterns are separated by spaces. */
export const FilterForm = z
  .object({
    include: words,
    exclude: words,
    archived: isTicked,
    forks: isTicked,
    maxMb: z
      .string()
      .trim()
      .default("")
      .transform((text) => (text === "" ? null : Number(text))),
  })
  .transform(({ archived, forks, ...filters }) => ({ ...filters, includesArchived: archived, includesForks: forks }))
  .pipe(AllFilters);

/** An account as people write it, in the forms of the web pages and on the command line. */
export const AccountForm = z
  .object({ kind: HostKind, place: GitPlace })
  .superRefine(({ kind, place: { path } }, context) => {
    const message =
      path === ""
        ? "the name of the organization or group is missing, as in github.com/acme"
        : path.includes("/") && kind !== "gitlab"
          ? `${hostKindNames[kind]} has no groups in groups: leave out what follows the first name`
          : undefined;
    if (message !== undefined) context.addIssue({ code: "custom", path: ["place"], message });
  })
  .transform(({ kind, place: { host, path: account } }) => ({ kind, host, account }));

/** An account to follow, and the name of its group. */
export const PlaceForm = AccountForm.and(z.object({ group: z.string().trim().default("") }))
  .transform(({ kind, host, account, group }) => ({
    kind,
    host,
    account,
    group: group.replace(/^@/, "") || (account.split("/").at(-1) ?? ""),
  }))
  .pipe(z.object({ kind: HostKind, host: z.string(), account: z.string(), group: GroupName }));
