import { type ProjectLimits, type ProjectUsage, stricterLimits } from "../../protocol/hosted.ts";
import { limitFields, limitNames } from "../../protocol/limit-fields.ts";
import { ownClients } from "../limits/clients.ts";
import type { ClientUse, DailyUse, ResourceUse } from "../limits/daily-usage.ts";
import type { LimitSets } from "../limits/project-limits.ts";
import { type QuestionUse, slowMs } from "../limits/questions.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import { nameOf } from "../tenants/actor-names.ts";
import { field, type Form, formErrors } from "./forms.ts";
import { type Html, html, type HtmlValue } from "./html.ts";
import { layout } from "./layout.ts";
import { asRead, byGreatest, byText, type Listed, listForm, listRows, type Orders, type Shown } from "./listing.ts";
import { table } from "./table.ts";
import { usageChart } from "./usage-chart.ts";
import type { Visitor } from "./visitors.ts";

/** What the page of usage and limits shows. */
export interface UsagePageOptions {
  visitor: Visitor;
  /** The month that is shown, as `2026-11`. */
  month: string;
  /** The first month that was used. */
  firstMonth: string;
  days: readonly DailyUse[];
  /** The questions of the month by resource, the most asked first. */
  resources: readonly ResourceUse[];
  /** By client program, the one that asked most first. */
  clients: readonly ClientUse[];
  /** The names of keys and accounts, by id. */
  names: ReadonlyMap<string, string>;
  limits: LimitSets;
  usage: ProjectUsage;
  reserved: QuestionUse;
  /** Whether owners get a mail each week; undefined where the service sends none. */
  weeklyMail: boolean | undefined;
  /** What is wanted of the tables by key and account, client and resource. */
  shown: Shown;
  form: Form;
  notice?: string | undefined;
}

type Totals = Omit<DailyUse, "day" | "actor">;
interface NamedTotals extends Totals {
  name: string;
}

/** Usage by day, and by key and account; the limits, and what is used of them. */
export function usagePage(options: UsagePageOptions): Html {
  const { visitor, notice } = options;
  const { account, membership } = visitor;
  const path = `/p/${membership.project.name}/usage`;
  const main = html`<h1>Usage and limits</h1>
    ${renderLimits(options)} ${membership.role === "owner" && limitsForm(options, `${path}/limits`)}
    ${renderMonth(options, path)} ${membership.role === "owner" && mailForm(options, `${path}/mail`)}`;
  return layout({ title: "Usage and limits", main, account, membership, current: path, notice, script: "list.js" });
}

/** What a row of every table has. */
type NamedCounts = { name: string } & Omit<ResourceUse, "resource">;

const orders: Orders<NamedCounts> = {
  most: asRead("Most used"),
  name: { label: "Name", compare: byText(({ name }) => name) },
  unproved: { label: "No evidence", compare: byGreatest(({ withoutEvidence }) => withoutEvidence) },
  slow: { label: `Over ${slowMs / 1000} s`, compare: byGreatest(({ slow }) => slow) },
  failed: { label: "Failed", compare: byGreatest(({ failed }) => failed) },
};

function renderMonth(
  { month, firstMonth, days, resources, clients, names, usage, shown }: UsagePageOptions,
  path: string,
): Html {
  const link = (other: string) => html`<a href="${path}?month=${other}">${monthName(other)}</a>`;
  const earlier = month > firstMonth ? link(addMonths(month, -1)) : undefined;
  const later = month < usage.month ? link(addMonths(month, 1)) : undefined;
  const byDay = [...totalsBy(days, ({ day }) => day)].map(([day, totals]) => ({ name: dayName(day), ...totals }));
  const byActor = [...totalsBy(days, ({ actor }) => actor)]
    .map(([actor, totals]) => ({ name: nameOf(names, actor), ...totals }))
    .toSorted((a, b) => b.costUsd - a.costUsd || b.tokens - a.tokens || b.questions - a.questions);
  const wanted = <Row extends NamedCounts>(rows: readonly Row[]) =>
    listRows(rows, { shown: { ...shown, page: 1 }, textOf: ({ name }) => name, orders });
  const [ofActors, ofClients, ofResources] = [
    wanted(byActor),
    wanted(namedClients(clients)),
    wanted(resources.map(({ resource: name, ...counts }) => ({ name, ...counts }))),
  ] as const;
  const lists = [ofActors, ofClients, ofResources];
  const sum = (of: (list: Pick<Listed<unknown>, "count" | "total">) => number) =>
    lists.reduce((all, list) => all + of(list), 0);
  const all = { ...ofActors, count: sum(({ count }) => count), total: sum(({ total: size }) => size) };
  const total = { name: "Total", ...(totalsBy(days, () => "").get("") ?? nothing) };
  return html`<h2>${monthName(month)}</h2>
    ${
      (earlier !== undefined || later !== undefined) &&
      html`<p class="months">
        <span>${earlier !== undefined && html`← ${earlier}`}</span>
        <span>${later !== undefined && html`${later} →`}</span>
      </p>`
    }
    ${
      days.length === 0
        ? html`<p>No questions were asked in ${monthName(month)}.</p>`
        : html`<div class="charts">${renderCharts(days, month)}</div>
            ${listForm(all, { path, label: "Find in these tables", fields: { month } })}
            ${usageTable(`By key and account in ${monthName(month)}`, "Key or account", ofActors.rows, shown.q === "" ? total : undefined)}
            ${omitted(ofActors)}
            ${usageTable(`By client program in ${monthName(month)}, as it names itself`, "Client", ofClients.rows)}
            ${omitted(ofClients)} ${resourceTable(ofResources.rows, month)} ${omitted(ofResources)}
            ${usageTable(`By day (UTC) in ${monthName(month)}`, "Day", byDay, total)}`
    }`;
}

function renderCharts(days: readonly DailyUse[], month: string): Html[] {
  const byDay = totalsBy(days, ({ day }) => day);
  const dates = Array.from({ length: daysOf(month) }, (_, index) => `${month}-${String(index + 1).padStart(2, "0")}`);
  const uses = dates.map((day) => ({ day, ...(byDay.get(day) ?? nothing) }));
  const chart = (title: string, of: (use: Totals) => number, words: (value: number) => string) =>
    usageChart({
      title,
      days: uses.map((use) => ({ value: of(use), label: `${dayName(use.day)}: ${words(of(use))}` })),
      most: words(Math.max(...uses.map(of))),
    });
  return [
    chart("Questions a day", ({ questions }) => questions, formatCount),
    chart("Tokens a day", ({ tokens }) => tokens, formatCount),
    ...(uses.some(({ costUsd }) => costUsd > 0) ? [chart("US$ a day", ({ costUsd }) => costUsd, formatUsd)] : []),
  ];
}

/** There are no pages of a table: the form finds the others. */
function omitted({ rows, count }: Listed<unknown>): Html | undefined {
  const more = count - rows.length;
  return more === 0 ? undefined : html`<p class="hint">${more} more: find them by name, or sort otherwise.</p>`;
}

function usageTable(
  caption: string,
  first: string,
  uses: readonly NamedTotals[],
  total?: NamedTotals,
): Html | undefined {
  if (uses.length === 0) return undefined;
  const rows = uses.length > 1 && total !== undefined ? [...uses, total] : uses;
  return table({
    caption,
    columns: [first, "Questions", ...outcomeColumns, "Tokens", "US$"],
    rows: rows.map(({ name, tokens, costUsd, ...counts }) => [
      name,
      ...outcomeCells(counts),
      formatCount(tokens),
      formatUsd(costUsd),
    ]),
    empty: "",
  });
}

/** A client names itself, and an older one only when it connects. */
function namedClients(clients: readonly ClientUse[]): NamedTotals[] {
  const words: Readonly<Record<string, string>> = {
    [ownClients.page]: "these pages",
    [ownClients.unknown]: "not named",
    [ownClients.other]: "others",
  };
  return clients.map(({ client, ...totals }) => ({ name: words[client] ?? showInvisibleInLine(client), ...totals }));
}

/** Which resources people and agents ask about, and where the answers fail them. */
function resourceTable(resources: readonly NamedCounts[], month: string): Html | undefined {
  if (resources.length === 0) return undefined;
  return table({
    caption: `By resource in ${monthName(month)}. A question counts for each resource that it names, or else that its answer cites.`,
    columns: ["Resource", "Questions", ...outcomeColumns],
    rows: resources.map(({ name, ...counts }) => [name, ...outcomeCells(counts)]),
    empty: "",
  });
}

/** Short, because each is beside its value on a telephone. */
const outcomeColumns = ["No evidence", `Over ${slowMs / 1000} s`, "Failed"];

function outcomeCells({ questions, withoutEvidence, slow, failed }: Omit<ResourceUse, "resource">): string[] {
  return [questions, withoutEvidence, slow, failed].map(formatCount);
}

function renderLimits({ limits: { operator, own }, usage, reserved }: UsagePageOptions): Html {
  const applied = stricterLimits(operator, own);
  const rows = limitNames.map((name): HtmlValue[] => {
    const limit = applied[name];
    const words = (value: number) => formatLimit(name, value);
    const reservedNow = name === "tokens" || name === "costUsd" ? reserved[name] : 0;
    const used = html`${words(usage[name])}${reservedNow > 0 && ` and ${words(reservedNow)} reserved`}`;
    if (limit === null) return [limitFields[name].title, used, "no limit"];
    const inUse = Math.min(usage[name] + reservedNow, limit);
    const label = `${limitFields[name].title}: used and reserved`;
    return [
      limitFields[name].title,
      html`${used}${limit > 0 && html`<meter min="0" max="${limit}" value="${inUse}" aria-label="${label}"></meter>`}`,
      `${words(limit)}, set by ${limit === operator[name] ? "the operator" : "an owner"}`,
    ];
  });
  return table({
    caption: `Limits and usage in ${monthName(usage.month)}. Running questions reserve what they may use.`,
    columns: ["What", "Used", "Limit"],
    rows,
    empty: "",
  });
}

function limitsForm({ limits: { operator, own }, form }: UsagePageOptions, action: string): Html {
  const isSent = Object.keys(form.values).length > 0;
  const fields = limitNames.map((name) => {
    const limit = own[name];
    const hint =
      operator[name] === null ? {} : { hint: `The operator's limit is ${formatLimit(name, operator[name])}.` };
    const value = isSent ? {} : { value: limit === null ? "" : `${limit}` };
    return field(form, { name, label: limitFields[name].title, ...hint, ...value, isOptional: true });
  });
  return html`<details${Object.keys(form.errors).length > 0 && html` open`}>
    <summary>Change the limits of this project</summary>
    <p>The stricter limit applies, yours or the operator's. Leave a field empty for no limit of your own.</p>
    <form method="post" action="${action}" class="card">
      ${formErrors(form)} ${fields}
      <button>Save the limits</button>
    </form>
  </details>`;
}

function mailForm({ weeklyMail }: UsagePageOptions, action: string): Html | undefined {
  if (weeklyMail === undefined) return undefined;
  return html`<h2>Weekly mail</h2>
    <p>
      ${weeklyMail ? "Owners get" : "Owners can get"} a mail each Monday: how much was asked last week, of which
      resources and by whom, and what failed. It never contains questions or answers.
    </p>
    <form method="post" action="${action}">
      <input type="hidden" name="isOn" value="${weeklyMail ? "no" : "yes"}" />
      <button class="quiet">${weeklyMail ? "Switch it off" : "Switch it on"}</button>
    </form>`;
}

/** `1,234`, US$ `0.0123`, or GB `12.3`. */
export function formatLimit(name: keyof ProjectLimits, value: number): string {
  if (name === "diskGb") return formatGb(value);
  return name === "costUsd" ? formatUsd(value) : formatCount(value);
}

function formatCount(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function formatGb(value: number): string {
  return value > 0 && value < 0.001 ? "under 0.001" : value.toLocaleString("en", { maximumFractionDigits: 3 });
}

/** Cents, and small amounts with four decimals. */
function formatUsd(value: number): string {
  const digits = value > 0 && value < 0.1 ? 4 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

const nothing: Totals = { questions: 0, tokens: 0, costUsd: 0, withoutEvidence: 0, slow: 0, failed: 0 };

function totalsBy(uses: readonly DailyUse[], keyOf: (use: DailyUse) => string): Map<string, Totals> {
  const totals = new Map<string, Totals>();
  for (const use of uses) {
    const { questions, tokens, costUsd, withoutEvidence, slow, failed } = totals.get(keyOf(use)) ?? nothing;
    totals.set(keyOf(use), {
      questions: questions + use.questions,
      tokens: tokens + use.tokens,
      costUsd: costUsd + use.costUsd,
      withoutEvidence: withoutEvidence + use.withoutEvidence,
      slow: slow + use.slow,
      failed: failed + use.failed,
    });
  }
  return totals;
}

function monthName(month: string): string {
  return new Date(`${month}-01`).toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" });
}

function dayName(day: string): string {
  const name = new Date(day).toLocaleDateString("en", { day: "numeric", month: "short", timeZone: "UTC" });
  return name.replace(" ", "\u00a0");
}

function addMonths(month: string, count: number): string {
  const date = new Date(`${month}-01`);
  date.setUTCMonth(date.getUTCMonth() + count);
  return date.toISOString().slice(0, "2026-11".length);
}

function daysOf(month: string): number {
  const date = new Date(`${addMonths(month, 1)}-01`);
  date.setUTCDate(0);
  return date.getUTCDate();
}
