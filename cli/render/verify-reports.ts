import { createHash } from "node:crypto";
import path from "node:path";
import { CitationState, citationStateWords, isProved } from "../../server/protocol/citation.ts";
import type { VerifiedCitation } from "../../server/protocol/verify.ts";
import { showInvisibleInLine } from "../../server/protocol/invisible.ts";
import { describeProblem, type VerifiedFile } from "./verified.ts";

interface Problem {
  file: string;
  citation: VerifiedCitation;
  message: string;
  isError: boolean;
}

/** All that is not simply verified. A relocated citation is proved, and its lines are to be corrected. */
function problemsOf(files: readonly VerifiedFile[]): Problem[] {
  return files.flatMap(({ file, reply }) =>
    reply.citations
      .filter(({ state }) => state !== "verified")
      .map((citation) => {
        const message = showInvisibleInLine(describeProblem(citation));
        return { file: file.split(path.sep).join("/"), citation, message, isError: !isProved(citation) };
      }),
  );
}

/** Workflow commands, which GitHub Actions shows beside the lines. */
export function renderGithub(files: readonly VerifiedFile[]): string {
  return problemsOf(files)
    .map(({ file, citation, message, isError }) => {
      const title = escapeProperty(`Citation ${citationStateWords[citation.state]}`);
      const properties = `file=${escapeProperty(file)},line=${citation.at.line},title=${title}`;
      return `::${isError ? "error" : "warning"} ${properties}::${escapeData(message)}\n`;
    })
    .join("");
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** A Code Quality report of GitLab. */
export function renderGitlab(files: readonly VerifiedFile[]): string {
  const fingerprints = createFingerprints();
  const issues = problemsOf(files).map((problem) => ({
    description: problem.message,
    check_name: ruleOf(problem.citation.state),
    fingerprint: fingerprints(problem),
    severity: problem.isError ? "major" : "info",
    location: { path: problem.file, lines: { begin: problem.citation.at.line } },
  }));
  return `${JSON.stringify(issues, null, 2)}\n`;
}

const states: readonly CitationState[] = CitationState.options.filter((state) => state !== "verified");

const ruleTexts: Record<CitationState, string> = {
  verified: "The cited lines exist.",
  relocated: "The quoted text is at other lines of the file.",
  "not-read": "The citation was not checked.",
  mismatch: "The quoted text is not in the file, or another revision is cited.",
  "out-of-range": "The file has fewer lines.",
  missing: "There is no such file or resource.",
  ambiguous: "Several files match the path.",
};

/** https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
export function renderSarif(files: readonly VerifiedFile[], { version }: { version: string }): string {
  const fingerprints = createFingerprints();
  const results = problemsOf(files).map((problem) => ({
    ruleId: ruleOf(problem.citation.state),
    ruleIndex: states.indexOf(problem.citation.state),
    level: problem.isError ? "error" : "warning",
    message: { text: problem.message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(problem.file).replace(/[?#]/g, encodeURIComponent) },
          region: { startLine: problem.citation.at.line },
        },
      },
    ],
    partialFingerprints: { "citation/v1": fingerprints(problem) },
  }));
  const rules = states.map((state) => ({
    id: ruleOf(state),
    shortDescription: { text: ruleTexts[state] },
    defaultConfiguration: { level: isProved({ state }) ? "warning" : "error" },
  }));
  const run = {
    tool: { driver: { name: "Citewell", semanticVersion: version, rules } },
    invocations: [{ executionSuccessful: true, toolExecutionNotifications: notificationsOf(files) }],
    results,
  };
  return `${JSON.stringify({ $schema: schema, version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

const schema = "https://json.schemastore.org/sarif-2.1.0.json";

function notificationsOf(files: readonly VerifiedFile[]): object[] {
  const texts = files.flatMap(({ reply: { unavailable = [] } }) =>
    unavailable.map(({ resource, error }) => showInvisibleInLine(`${resource} could not be opened: ${error}`)),
  );
  return [...new Set(texts)].map((text) => ({ level: "warning", message: { text } }));
}

function ruleOf(state: CitationState): string {
  return `citation-${state}`;
}

/** The same citation keeps its fingerprint when lines above it come or go; equal ones are counted. */
function createFingerprints(): (problem: Problem) => string {
  const counts = new Map<string, number>();
  return ({ file, citation }) => {
    const key = JSON.stringify([file, citation.at.text, citation.state]);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return createHash("sha256").update(`${key}${count}`).digest("hex");
  };
}
