import type { Migration } from "./migrate.ts";
import { baseline } from "./migrations/0001-baseline.ts";
import { failureTags } from "./migrations/0019-failure-tags.ts";
import { linkForms } from "./migrations/0020-link-forms.ts";
import { rights } from "./migrations/0021-rights.ts";
import { questionOutcomes } from "./migrations/0022-question-outcomes.ts";
import { followedAccounts } from "./migrations/0023-followed-accounts.ts";
import { ownKeys } from "./migrations/0024-own-keys.ts";
import { shares } from "./migrations/0025-shares.ts";
import { hostRights } from "./migrations/0026-host-rights.ts";
import { keptRevisions } from "./migrations/0028-kept-revisions.ts";
import { weeklyMail } from "./migrations/0027-weekly-mail.ts";
import { useRights } from "./migrations/0029-use-rights.ts";
import { rightsOfAllHosts } from "./migrations/0030-rights-of-all-hosts.ts";
import { clientUsage } from "./migrations/0031-client-usage.ts";

/** The steps of the schema, in order. A new step is a new file; a file that was released never changes. */
export const migrations: readonly Migration[] = [
  { name: "0001-baseline", sql: baseline, replaces: "0018-key-resources" },
  { name: "0019-failure-tags", sql: failureTags },
  { name: "0020-link-forms", sql: linkForms },
  { name: "0021-rights", sql: rights },
  { name: "0022-question-outcomes", sql: questionOutcomes },
  { name: "0023-followed-accounts", sql: followedAccounts },
  { name: "0024-own-keys", sql: ownKeys },
  { name: "0025-shares", sql: shares },
  { name: "0026-host-rights", sql: hostRights },
  { name: "0027-weekly-mail", sql: weeklyMail },
  { name: "0028-kept-revisions", sql: keptRevisions },
  { name: "0029-use-rights", sql: useRights },
  { name: "0030-rights-of-all-hosts", sql: rightsOfAllHosts },
  { name: "0031-client-usage", sql: clientUsage },
];
