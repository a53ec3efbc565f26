import * as z from "zod";
import { expect, test } from "vitest";
import { renderGithub, renderGitlab, renderVerifiedSarif } from "../../../cli/render/verify-reports.ts";
import type { VerifiedFile } from "../../../cli/render/verified.ts";
import { CitationState } from "../../../server/protocol/citation.ts";
import { parseSarif } from "../../support/sarif.ts";

/** One citation in each state, of which two are written alike. */
const states = [...CitationState.options, "missing"] as const;
const file: VerifiedFile = {
  file: "docs/a, b: 100%.md",
  reply: {
    citations: states.map((state, index) => ({
      id: `c${index + 1}`,
      resource: "demo",
      path: "src/a.ts",
      startLine: 1,
      endLine: 2,
      state,
      ...(state === "verified" ? {} : { reason: "for\na reason" }),
      revision: "abc",
      at: { line: index + 1, text: "src/a.ts:1-2" },
    })),
    snapshots: [],
    unavailable: [{ resource: "lib", tag: "NetworkFailed", error: "no network" }],
  },
};

test("SARIF has a rule for each state, and a result for all that is not simply verified", () => {
  const [run] = parseSarif(renderVerifiedSarif([file], { version: "1.2.3" })).runs;
  const { rules = [] } = run?.tool.driver ?? {};
  const results = run?.results ?? [];
  expect(results.map(({ ruleId }) => ruleId)).toEqual(states.slice(1).map((state) => `citation-${state}`));
  expect(results.every(({ ruleId, ruleIndex }) => rules[ruleIndex]?.id === ruleId)).toBe(true);
  expect(results.map(({ level }) => level)).toEqual(["warning", ...states.slice(2).map(() => "error")]);
  expect(run?.invocations[0]?.toolExecutionNotifications).toHaveLength(1);
});

test("a report for GitLab has its fields, and no fingerprint twice", () => {
  const Issue = z.strictObject({
    description: z.string().min(1),
    check_name: z.string(),
    fingerprint: z.string(),
    severity: z.enum(["info", "minor", "major", "critical", "blocker"]),
    location: z.strictObject({ path: z.string(), lines: z.strictObject({ begin: z.int().min(1) }) }),
  });
  const issues = z.array(Issue).parse(JSON.parse(renderGitlab([file])));
  expect(new Set(issues.map(({ fingerprint }) => fingerprint)).size).toBe(states.length - 1);
  expect(issues[0]).toMatchObject({ severity: "info", location: { path: "docs/a, b: 100%.md", lines: { begin: 2 } } });
});

test("annotations stay on one line, with what their grammar uses escaped", () => {
  const lines = renderGithub([file]).trimEnd().split("\n");
  expect(lines).toHaveLength(states.length - 1);
  expect(lines[0]).toMatch(
    /^::warning file=docs\/a%2C b%3A 100%25\.md,line=2,title=Citation relocated::demo:src\/a\.ts/,
  );
  expect(lines[1]).toMatch(/^::error /);
});
