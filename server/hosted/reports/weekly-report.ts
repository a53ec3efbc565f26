import * as z from "zod";
import { readFetchStates } from "../jobs/states.ts";
import { type DailyUse, readDailyUsage, readResourceUsage, type ResourceUse } from "../limits/daily-usage.ts";
import { slowMs } from "../limits/questions.ts";
import type { Mail } from "../mail/mailer.ts";
import { firstRow } from "../store/rows.ts";
import type { Store } from "../store/store.ts";
import { nameOf, namesOf } from "../tenants/actor-names.ts";

/** What a project's people and agents asked in one week, without the questions themselves. */
export interface WeeklyReport {
  project: { id: string; name: string };
  /** Monday and Sunday, as `2026-11-16`. */
  week: { first: string; last: string };
  totals: Totals;
  /** The week before it. */
  before: Totals;
  /** The most asked first. */
  resources: readonly ResourceUse[];
  /** Keys and members by name, the most active first. */
  askers: readonly { name: string; questions: number }[];
  /** The names of the resources whose last fetch failed. */
  failing: readonly string[];
}

type Totals = Omit<DailyUse, "day" | "actor">;

const WeekRow = z.object({
  name: z.string(),
  first: z.string(),
  last: z.string(),
  end: z.string(),
  before: z.string(),
});

/** The report of the last whole week (UTC, from Monday); undefined if the project is gone. */
export async function readWeeklyReport(store: Store, project: string): Promise<WeeklyReport | undefined> {
  const result = await store.query(
    `select p.name, to_char(monday - 7, 'YYYY-MM-DD') as first, to_char(monday - 1, 'YYYY-MM-DD') as last,
       to_char(monday, 'YYYY-MM-DD') as end, to_char(monday - 14, 'YYYY-MM-DD') as before
     from project p, (select date_trunc('week', now() at time zone 'UTC')::date as monday) w where p.id = $1`,
    [project],
  );
  const row = firstRow(WeekRow, result);
  if (row === undefined) return undefined;
  const names = await namesOf(store, { id: project });
  return store.asProject(project, async (queries) => {
    const uses = await readDailyUsage(queries, project, { from: row.first, before: row.end });
    const earlier = await readDailyUsage(queries, project, { from: row.before, before: row.first });
    const states = await readFetchStates(queries, project);
    return {
      project: { id: project, name: row.name },
      week: { first: row.first, last: row.last },
      totals: sum(uses),
      before: sum(earlier),
      resources: await readResourceUsage(queries, project, { from: row.first, before: row.end }),
      askers: [...new Set(uses.map(({ actor }) => actor))]
        .map((asker) => ({
          name: nameOf(names, asker),
          questions: sum(uses.filter(({ actor }) => actor === asker)).questions,
        }))
        .toSorted((a, b) => b.questions - a.questions),
      failing: [...states].filter(([, { state }]) => state === "failed").map(([name]) => name),
    };
  });
}

function sum(uses: readonly DailyUse[]): Totals {
  const total = (of: (use: DailyUse) => number) => uses.reduce((all, use) => all + of(use), 0);
  return {
    questions: total(({ questions }) => questions),
    tokens: total(({ tokens }) => tokens),
    costUsd: total(({ costUsd }) => costUsd),
    withoutEvidence: total(({ withoutEvidence }) => withoutEvidence),
    slow: total(({ slow }) => slow),
    failed: total(({ failed }) => failed),
  };
}

/** More resources and askers than this are on the page. */
const mostListed = 10;

/** The report as a mail. @param usageUrl the page of usage */
export function weeklyMail(report: WeeklyReport, { to, usageUrl }: { to: string; usageUrl: string }): Mail {
  const { project, week, totals, before, resources, askers, failing } = report;
  const count = (value: number) => Math.round(value).toLocaleString("en");
  const list = (title: string, lines: readonly string[]) => {
    const rest = lines.length > mostListed ? [`and ${lines.length - mostListed} more`] : [];
    const shown = [...lines.slice(0, mostListed), ...rest].map((line) => `  ${line}`);
    return lines.length === 0 ? [] : [[title, ...shown].join("\n")];
  };
  const outcomes = [
    `${count(totals.withoutEvidence)} without evidence`,
    `${count(totals.slow)} over ${slowMs / 1000} s`,
    `${count(totals.failed)} failed`,
  ].join(", ");
  const paragraphs = [
    `What people and agents asked in the project ${project.name} from ${week.first} to ${week.last} (UTC).`,
    [
      `Questions: ${count(totals.questions)} (${count(before.questions)} in the week before)`,
      ...(totals.questions === 0 ? [] : [`Of these: ${outcomes}`]),
      `Tokens: ${count(totals.tokens)}, US$ ${totals.costUsd.toFixed(2)}`,
    ].join("\n"),
    ...list(
      "By resource:",
      resources.map(({ resource, questions, withoutEvidence }) => {
        const unproved = withoutEvidence === 0 ? "" : `, ${count(withoutEvidence)} without evidence`;
        return `${resource}: ${count(questions)}${unproved}`;
      }),
    ),
    ...list(
      "By key and member:",
      askers.map(({ name, questions }) => `${name}: ${count(questions)}`),
    ),
    ...list("Could not be fetched:", failing),
    `More on the page Usage, where an owner can also switch this mail off:\n${usageUrl}`,
    "This mail never contains questions or answers.",
  ];
  const asked = totals.questions === 1 ? "1 question" : `${count(totals.questions)} questions`;
  return { to, subject: `${project.name} on Citewell: ${asked} last week`, text: `${paragraphs.join("\n\n")}\n` };
}
