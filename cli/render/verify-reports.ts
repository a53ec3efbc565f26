import path from "node:path";
import { CitationState, citationStateWords, isProved } from "../../server/protocol/citation.ts";
import { type FileLinkState, fileLinkStateWords } from "../../server/protocol/verify.ts";
import { showInvisibleInLine } from "../../server/protocol/invisible.ts";
import { createFingerprints, renderSarif, type SarifRule, type SarifRun } from "./sarif.ts";
import { describeLinkProblem, describeProblem, type VerifiedFile } from "./verified.ts";

interface Problem {
  file: string;
  line: number;
  /** The text of the document. */
  written: string;
  rule: string;
  title: string;
  message: string;
  isError: boolean;
}

/**
 * All citations that are not simply verified, and the links that lead nowhere. A relocated citation is proved, and its
 * lines are to be corrected; a link out of the project may be right.
 */
function problemsOf(files: readonly VerifiedFile[]): Problem[] {
  return files.flatMap(({ file, reply: { citations, links = [] } }) => {
    const name = file.split(path.sep).join("/");
    const cited = citations
      .filter(({ state }) => state !== "verified")
      .map((citation): Problem => ({
        file: name,
        line: citation.at.line,
        written: citation.at.text,
        rule: ruleOf(citation.state),
        title: `Citation ${citationStateWords[citation.state]}`,
        message: showInvisibleInLine(describeProblem(citation)),
        isError: !isProved(citation),
      }));
    const linked = links
      .filter(({ state }) => state !== "found" && state !== "outside")
      .map((link): Problem => ({
        file: name,
        line: link.at.line,
        written: link.at.text,
        rule: linkRuleOf(link.state),
        title: `Link ${fileLinkStateWords[link.state]}`,
        message: showInvisibleInLine(describeLinkProblem(link)),
        isError: true,
      }));
    return [...cited, ...linked].toSorted((one, other) => one.line - other.line);
  });
}

/** Workflow commands, which GitHub Actions shows beside the lines. */
export function renderGithub(files: readonly VerifiedFile[]): string {
  return problemsOf(files)
    .map(({ file, line, title, message, isError }) => {
      const properties = `file=${escapeProperty(file)},line=${line},title=${escapeProperty(title)}`;
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
    check_name: problem.rule,
    fingerprint: fingerprints(fingerprintKey(problem)),
    severity: problem.isError ? "major" : "info",
    location: { path: problem.file, lines: { begin: problem.line } },
  }));
  return `${JSON.stringify(issues, null, 2)}\n`;
}

const states: readonly CitationState[] = CitationState.options.filter((state) => state !== "verified");
const linkStates: readonly FileLinkState[] = ["missing", "not-checked"];

const ruleTexts: Record<CitationState, string> = {
  verified: "The cited lines exist.",
  relocated: "The quoted text is at other lines of the file.",
  "not-read": "The citation was not checked.",
  mismatch: "The quoted text or the path differs, or another revision is cited.",
  "out-of-range": "The file has fewer lines, or none are named.",
  missing: "There is no such file or resource.",
  ambiguous: "Several files match the path.",
};

const linkRuleTexts: Record<FileLinkState, string> = {
  found: "The file exists.",
  missing: "There is no such file or folder.",
  outside: "The link leads out of the project.",
  "not-checked": "The link was not checked.",
};

/** For code scanning. */
export function renderVerifiedSarif(files: readonly VerifiedFile[], { version }: { version: string }): string {
  return renderSarif({
    version,
    rules: [
      ...states.map((state): SarifRule => ({
        id: ruleOf(state),
        text: ruleTexts[state],
        level: isProved({ state }) ? "warning" : "error",
      })),
      ...linkStates.map((state): SarifRule => ({ id: linkRuleOf(state), text: linkRuleTexts[state], level: "error" })),
    ],
    results: problemsOf(files).map((problem) => ({
      rule: problem.rule,
      level: problem.isError ? "error" : "warning",
      message: problem.message,
      place: { file: problem.file, startLine: problem.line },
      fingerprint: fingerprintKey(problem),
    })),
    notifications: notificationsOf(files),
  });
}

function notificationsOf(files: readonly VerifiedFile[]): SarifRun["notifications"] {
  const texts = files.flatMap(({ reply: { unavailable = [] } }) =>
    unavailable.map(({ resource, error }) => `${resource} could not be opened: ${error}`),
  );
  return [...new Set(texts)].map((message) => ({ level: "warning", message }));
}

function ruleOf(state: CitationState): string {
  return `citation-${state}`;
}

function linkRuleOf(state: FileLinkState): string {
  return `link-${state}`;
}

/** The same citation keeps it when its state changes. */
function fingerprintKey({ file, written, rule }: Problem): string {
  return JSON.stringify([file, written, rule.replace(/^citation-/, "")]);
}
