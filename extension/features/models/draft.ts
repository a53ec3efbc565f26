/** What is known of a choice so far. */
export interface Draft {
  provider?: string;
  /** Of `openai-compat`. */
  server?: { baseURL: string; name: string };
  /** An address that nobody has configured nor found. */
  isNewServer?: boolean;
  model?: string;
}
