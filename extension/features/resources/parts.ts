import type { Citations, Chat, Citewell } from "../../context.ts";
import type { showError } from "../../server-error.ts";
import type { ResourceTree } from "./tree.ts";

/** What the commands of this view stand on; passed in whole, as those of `edits.ts` are a bundle of their own. */
export interface Parts extends Citewell {
  chat: Chat;
  citations: Citations;
  tree: ResourceTree;
  /** Fetches a resource anew; its row shows how it goes, a message only why it failed. */
  fetch(name: string): Promise<void>;
  stopFetch(name: string): void;
  showError: typeof showError;
}
