/** Envelopes in envelopes: a gateway's `metadata.raw` is often JSON again. */
const depthLimit = 6;

/**
 * The server's own words, from the envelopes in which servers and gateways send errors: a text; `error`, `message`,
 * `detail`, `errors`, `msg`, `error_description`, as texts, objects or lists of them; JSON in a text. The words of the
 * server behind a gateway (`metadata.raw`) come first, because the gateway's own are general ("Provider returned error").
 */
export function wordsOf(value: unknown, depth = 0): string | undefined {
  if (depth > depthLimit) return undefined;
  if (typeof value === "string") return wordsInText(value, depth);
  if (Array.isArray(value)) return firstWords(value, depth);
  if (typeof value !== "object" || value === null) return undefined;
  const fields: Record<string, unknown> = { ...value };
  const { metadata } = fields;
  const raw = typeof metadata === "object" && metadata !== null && "raw" in metadata ? [metadata.raw] : [];
  return firstWords([...raw, ...envelopes.map((name) => fields[name])], depth);
}

const envelopes = ["error", "errors", "message", "detail", "msg", "error_description", "error_message", "reason"];

function firstWords(values: readonly unknown[], depth: number): string | undefined {
  for (const value of values) {
    const words = wordsOf(value, depth + 1);
    if (words !== undefined) return words;
  }
  return undefined;
}

function wordsInText(text: string, depth: number): string | undefined {
  const trimmed = text.trim();
  if (!/^[{["]/.test(trimmed)) return trimmed === "" ? undefined : trimmed;
  try {
    return wordsOf(JSON.parse(trimmed), depth + 1) ?? trimmed;
  } catch {
    return trimmed;
  }
}
