import type { Migration } from "./migrate.ts";
import { projects } from "./migrations/0001-projects.ts";
import { accounts } from "./migrations/0002-accounts.ts";
import { jobs } from "./migrations/0003-jobs.ts";
import { projectLimits } from "./migrations/0004-limits.ts";
import { signIn } from "./migrations/0005-sign-in.ts";
import { secrets } from "./migrations/0006-secrets.ts";
import { snapshotHeads } from "./migrations/0007-snapshot-heads.ts";
import { conversations } from "./migrations/0008-conversations.ts";
import { dailyUsage } from "./migrations/0009-daily-usage.ts";
import { mail } from "./migrations/0010-mail.ts";
import { github } from "./migrations/0011-github.ts";
import { fetchProgress } from "./migrations/0012-fetch-progress.ts";
import { nodes } from "./migrations/0013-nodes.ts";
import { signInRecords } from "./migrations/0014-sign-in-records.ts";
import { tokenPaths } from "./migrations/0015-token-paths.ts";
import { fetchUsage } from "./migrations/0016-fetch-usage.ts";
import { diskBytes } from "./migrations/0017-disk-bytes.ts";
import { keyResources } from "./migrations/0018-key-resources.ts";
import { failureTags } from "./migrations/0019-failure-tags.ts";
import { linkForms } from "./migrations/0020-link-forms.ts";

/** The steps of the schema, in order. A new step is a new file; a file that was released never changes. */
export const migrations: readonly Migration[] = [
  { name: "0001-projects", sql: projects },
  { name: "0002-accounts", sql: accounts },
  { name: "0003-jobs", sql: jobs },
  { name: "0004-limits", sql: projectLimits },
  { name: "0005-sign-in", sql: signIn },
  { name: "0006-secrets", sql: secrets },
  { name: "0007-snapshot-heads", sql: snapshotHeads },
  { name: "0008-conversations", sql: conversations },
  { name: "0009-daily-usage", sql: dailyUsage },
  { name: "0010-mail", sql: mail },
  { name: "0011-github", sql: github },
  { name: "0012-fetch-progress", sql: fetchProgress },
  { name: "0013-nodes", sql: nodes },
  { name: "0014-sign-in-records", sql: signInRecords },
  { name: "0015-token-paths", sql: tokenPaths },
  { name: "0016-fetch-usage", sql: fetchUsage },
  { name: "0017-disk-bytes", sql: diskBytes },
  { name: "0018-key-resources", sql: keyResources },
  { name: "0019-failure-tags", sql: failureTags },
  { name: "0020-link-forms", sql: linkForms },
];
