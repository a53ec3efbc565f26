import type { ResourceSpec } from "../../../server/protocol/resource.ts";
import type { OneOff } from "../../../server/protocol/kinds/kinds.ts";

/** What the wizard knows so far. */
export interface Draft {
  kind?: ResourceSpec["type"] | undefined;
  /** Whether the first step named the thing itself, so that it is not asked for again. */
  isNamed?: boolean;
  reference?: OneOff | undefined;
  branch?: string;
  searchPaths?: string[];
  version?: string | undefined;
  name?: string;
}
