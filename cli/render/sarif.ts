import { createHash } from "node:crypto";
import path from "node:path";
import { showInvisibleInLine } from "../../server/protocol/invisible.ts";

/** https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
const schema = "https://json.schemastore.org/sarif-2.1.0.json";

type Level = "error" | "warning" | "note";

export interface SarifRule {
  id: string;
  /** What it is about, in one sentence. */
  text: string;
  level: Level;
}

/** Lines of a file. */
export interface SarifPlace {
  /** Relative to its base, or else to where the report is read. */
  file: string;
  /** The name of one of `bases`. */
  base?: string;
  startLine: number;
  endLine?: number;
}

export interface SarifResult {
  rule: string;
  level: Level;
  message: string;
  /** Undefined if it is of no line. */
  place: SarifPlace | undefined;
  /** Other places, each with what it is. */
  related?: readonly (SarifPlace & { message: string })[];
  /** Equal in two reports for the same result; an equal one is counted. */
  fingerprint: string;
}

export interface SarifRun {
  version: string;
  /** Tells runs of different kinds apart; a host replaces the earlier results of the same category only. */
  category?: string;
  rules: readonly SarifRule[];
  results: readonly SarifResult[];
  /** What is to be known of the whole run. */
  notifications: readonly { level: Level; message: string }[];
  /** What the names of bases mean. */
  bases?: ReadonlyMap<string, string>;
}

/** Results for code scanning. */
export function renderSarif({ version, category, rules, results, notifications, bases }: SarifRun): string {
  const fingerprints = createFingerprints();
  const run = {
    tool: {
      driver: {
        name: "Citewell",
        semanticVersion: version,
        rules: rules.map(({ id, text, level }) => ({
          id,
          shortDescription: { text },
          defaultConfiguration: { level },
        })),
      },
    },
    ...(category === undefined ? {} : { automationDetails: { id: `${category}/` } }),
    invocations: [
      {
        executionSuccessful: true,
        toolExecutionNotifications: notifications.map(({ level, message }) => ({ level, message: messageOf(message) })),
      },
    ],
    ...(bases === undefined
      ? {}
      : {
          originalUriBaseIds: Object.fromEntries(
            [...bases].map(([name, text]) => [name, { description: messageOf(text) }]),
          ),
        }),
    results: results.map(({ rule, level, message, place, related = [], fingerprint }) => ({
      ruleId: rule,
      ruleIndex: rules.findIndex(({ id }) => id === rule),
      level,
      message: messageOf(message),
      locations: place === undefined ? [] : [{ physicalLocation: physicalLocation(place) }],
      ...(related.length === 0
        ? {}
        : {
            relatedLocations: related.map((other, index) => ({
              id: index + 1,
              message: messageOf(other.message),
              physicalLocation: physicalLocation(other),
            })),
          }),
      partialFingerprints: { "citewell/v1": fingerprints(fingerprint) },
    })),
  };
  return `${JSON.stringify({ $schema: schema, version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

/** A plain text: what looks like a link would be one. */
function messageOf(text: string): { text: string } {
  return { text: showInvisibleInLine(text).replace(/\[([^[\]]*)\](?=\()/g, String.raw`\[$1\]`) };
}

function physicalLocation({ file, base, startLine, endLine = startLine }: SarifPlace): object {
  return {
    artifactLocation: { uri: uriOf(file), ...(base === undefined ? {} : { uriBaseId: base }) },
    region: { startLine, ...(endLine === startLine ? {} : { endLine }) },
  };
}

/** A colon before the first slash would end a scheme. */
function uriOf(file: string): string {
  return encodeURI(file.split(path.sep).join("/")).replace(/[?#:]/g, encodeURIComponent);
}

/** The same result keeps its fingerprint when lines above it come or go; equal ones are counted. */
export function createFingerprints(): (key: string) => string {
  const counts = new Map<string, number>();
  return (key) => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return createHash("sha256").update(`${key}${count}`).digest("hex");
  };
}
