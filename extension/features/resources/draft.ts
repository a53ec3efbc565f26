import type { ResourceSpec } from "../../../server/protocol/resource.ts";
import type { Addable } from "./spec.ts";

/** What the wizard knows so far. */
export interface Draft {
  kind?: ResourceSpec["type"] | undefined;
  /** Whether the first step named the thing itself, so that it is not asked for again. */
  isNamed?: boolean;
  reference?: Addable | undefined;
  branch?: string;
  searchPaths?: string[];
  version?: string | undefined;
  name?: string;
}
