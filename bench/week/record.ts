import { quantile } from "../median.ts";
import type { Organization, Person, Repository } from "./organization.ts";

/** Who reads: a person, or an agent with a key. `project`: a key of the project for all that is open. */
export type Reader = Person | "project";

/** One call, and what its answer must have. */
export interface Call {
  /** `search`, `page ask`: a row of the table. */
  kind: string;
  reader: Reader;
  /** What the caller names; its name in the answer says nothing new. */
  about: Repository | undefined;
  /** A text that those get who may use `about`; for all others it is missing. */
  wanted: string | undefined;
  /** The answer's text, and whether it is one: a refusal is `refused`. */
  run(): Promise<{ text: string; state: "ok" | "refused" | "failed" }>;
}

/** A time in which something was down on purpose; `to` is missing while it is. */
interface Outage {
  cause: string;
  /** What the failures that come from it say. */
  causes: RegExp;
  to?: number;
}

/** What all calls came to. */
export interface Record {
  make(call: Call): Promise<string | undefined>;
  /** Calls that begin before the result is called, and fail with such a text, are counted under a cause. */
  begin(cause: string, causes: RegExp): () => void;
  /** Words and names that a reader got and must not get. */
  leaks: string[];
  /** Answers without what their reader may see, and calls that failed for no known cause. */
  faults: string[];
  print(): void;
}

/** Whether a reader may use a repository now. */
export function mayUse(reader: Reader, { readers }: Repository): boolean {
  if (reader === "owner" || reader === "admin") return true;
  // What every member may use is open, and so the project's keys have it.
  return readers.has(reader === "project" ? "none" : reader);
}

export function createRecord({ repositories }: Organization): Record {
  const rows = new Map<string, number[]>();
  const failures = new Map<string, number>();
  const outages: Outage[] = [];
  const counts = { answered: 0, refused: 0, words: 0 };
  const leaks: string[] = [];
  const faults: string[] = [];

  /** What the text has that was hidden from the reader when the call began. */
  const leaksIn = (text: string, hidden: readonly Repository[], about: Repository | undefined) => {
    const secrets = new Set(text.match(/\bval[a-z]{4}\b/g));
    const names = new Set(text.match(/\b(?:acme|tools)-\d{3}\b/g));
    counts.words += secrets.size;
    return hidden.filter(
      (repository) => secrets.has(repository.secret) || (repository !== about && names.has(repository.name)),
    );
  };

  return {
    leaks,
    faults,
    begin(cause, causes) {
      const outage: Outage = { cause, causes };
      outages.push(outage);
      return () => {
        outage.to = performance.now();
      };
    },
    async make({ kind, reader, about, wanted, run }) {
      const hidden = [...repositories.values()].filter((repository) => !mayUse(reader, repository));
      const startedAt = performance.now();
      const { text, state } = await run().catch((error: unknown) => ({
        text: describe(error),
        state: "failed" as const,
      }));
      const ms = performance.now() - startedAt;
      const label = `${reader}: ${kind}${about === undefined ? "" : ` about ${about.name}`}`;
      for (const { name } of leaksIn(text, hidden, about)) leaks.push(`${label}: ${name}`);
      const isAllowed = about === undefined || (!hidden.includes(about) && mayUse(reader, about));
      const lacks = isAllowed && wanted !== undefined && !text.includes(wanted);
      if (state === "failed" || (state === "refused" && isAllowed) || lacks) {
        const outage = outages.findLast(({ to = Infinity, causes }) => to >= startedAt && causes.test(text));
        const cause = outage?.cause ?? "none known";
        failures.set(`${cause}: ${kind}`, (failures.get(`${cause}: ${kind}`) ?? 0) + 1);
        if (outage === undefined)
          faults.push(`${label} ${state === "ok" ? `lacks ${wanted}` : "failed"}: ${shorten(text)}`);
        return undefined;
      }
      rows.set(kind, [...(rows.get(kind) ?? []), ms]);
      counts[state === "refused" ? "refused" : "answered"]++;
      return text;
    },
    print() {
      const say = (line: string) => console.log(`week: ${line}`);
      const failed = [...failures.values()].reduce((sum, one) => sum + one, 0);
      say(`${counts.answered} calls answered, ${counts.refused} refused for want of a right, ${failed} failed`);
      for (const [cause, count] of failures) say(`  failed, ${cause}: ${count}`);
      say(`${leaks.length} leaks; ${counts.words} planted words were read by those who may`);
      for (const [kind, times] of [...rows].toSorted(([one], [other]) => one.localeCompare(other))) {
        const [half, most] = [quantile(times, 0.5), quantile(times, 0.95)].map((ms) => ms.toFixed(0).padStart(5));
        say(`  ${kind.padEnd(16)} ${String(times.length).padStart(6)} calls, p50 ${half} ms, p95 ${most} ms`);
      }
      // The same often happens to several callers.
      for (const leak of new Set(leaks)) console.error(`week: LEAK ${leak}`);
      const first = new Map(
        faults.toReversed().map((fault) => [fault.replace(/^.*?: /, "").replaceAll(/\d+/g, ""), fault]),
      );
      for (const fault of [...first.values()].slice(0, 30)) console.error(`week: FAULT ${fault}`);
    },
  };
}

/** Of a page, what follows its head. */
function shorten(text: string): string {
  const body = text.replace(/^[\s\S]*<main/, "<main").replaceAll(/<[^>]*>?|\s+/g, " ");
  return body.replaceAll(/ +/g, " ").slice(0, 200);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
}
