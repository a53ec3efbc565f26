/** A choice in progress. */
export interface Draft {
  provider?: string;
  /** The server of `openai-compat`. */
  server?: { baseURL: string; name: string };
  /** Whether a key or a sign-in is asked for. */
  needsConnection?: boolean;
  /** An address that is neither configured nor discovered. */
  isNewServer?: boolean;
  model?: string;
}
