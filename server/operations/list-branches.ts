import type { Input } from "../protocol/operations.ts";
import { normalizeGitUrl } from "../protocol/kinds/git-url.ts";
import type { BranchList } from "../protocol/resource.ts";
import type { Call, Context } from "./context.ts";

/** @throws as `Resources.listBranches` */
export async function listBranches(
  { url }: Input<"listBranches">,
  { tenant }: Context,
  { signal }: Call,
): Promise<BranchList> {
  return tenant.resources.listBranches(normalizeGitUrl(url).url, { signal });
}
