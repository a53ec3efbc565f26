import { parseArgs } from "node:util";
import * as z from "zod";
import type { Snapshot } from "../server/resources/snapshot.ts";
import { createRetrieval, type Retrieval } from "../server/retrieval/retrieval.ts";
import { askBuiltin } from "./ask-builtin.ts";
import { compareHalves, Half, percent, readQuestions, scoreHalves } from "./halves.ts";
import { openRepository } from "./repositories.ts";

/**
 * Questions as newcomers type them: whether the lines that answer are shown by the built-in provider, and by ranked
 * search with the question's words. Some repositories are for tuning; of the others only the totals are read.
 */
const { values } = parseArgs({
  options: {
    repos: { type: "string" },
    only: { type: "string", multiple: true, default: [] },
    verbose: { type: "boolean" },
    update: { type: "boolean" },
  },
});
const searchLimits = { s1: 1, s3: 3, s5: 5, s20: 20 } as const;
/** Indexing the largest tree takes a few seconds; longer means that the process hangs. */
const patienceMs = 600_000;

const Repository = z.strictObject({ repo: z.string(), commit: z.string(), language: z.string(), half: Half });
const Question = z.strictObject({
  kind: z.enum(["overview", "behaviour", "howto", "where", "error", "project", "option", "usage"]),
  question: z.string(),
  /** Each answers: a file, and a text of the lines to be shown. */
  gold: z.array(z.strictObject({ path: z.string(), text: z.string() })).min(1),
});
type Question = z.infer<typeof Question>;

/** Lines that an answer or a search shows, of any of these files. */
interface Shown {
  paths: string[];
  text: string;
}

interface Outcome {
  half: Half;
  kind: Question["kind"];
  /** Of the whole answer. */
  lines: number;
  /** Of the first extract, and of the first search result, that answers: from 1, Infinity if none does. */
  extract: number;
  found: number;
}

const outcomes: Outcome[] = [];
for (const { repository, questions } of readQuestions("bench/newcomer", { Repository, Question })) {
  if (values.only.length > 0 && !values.only.includes(repository.repo)) continue;
  await using snapshot = await openRepository(repository, { copies: values.repos });
  await checkGold(snapshot, questions);
  const retrieval = createRetrieval();
  for (const question of questions) {
    const outcome = { half: repository.half, kind: question.kind, ...(await ask(question, snapshot, retrieval)) };
    outcomes.push(outcome);
    if (values.verbose === true && repository.half === "tuning" && outcome.extract > 1)
      console.log(
        `newcomer: ${repository.repo}, ${question.kind}: ${JSON.stringify(question.question)}: extract ${outcome.extract}, search ${outcome.found}`,
      );
  }
}
const scores = scoreHalves("newcomer", outcomes, {
  score,
  describe: ({ n, first, any, lines50, lines90, ...search }) =>
    `${n} questions, answered in the first extract ${percent(first)}, in any ${percent(any)}, in ${lines50} lines (p50) or ${lines90} (p90); by search among the first ${Object.values(searchLimits).join(", ")}: ${Object.values(search).map(percent).join(", ")}`,
});
if (values.only.length === 0)
  compareHalves("newcomer", scores, { isUpdate: values.update === true, shares: ["first", "any", "s5"] });

/** @throws Error (a gold text is not in its file) */
async function checkGold(snapshot: Snapshot, questions: readonly Question[]): Promise<void> {
  for (const { question, gold } of questions) {
    for (const { path, text } of gold) {
      const source = await snapshot.read(path);
      if (!flat(source.text).includes(flat(text)))
        throw new Error(`${snapshot.resource}: ${path} has no ${JSON.stringify(text)}, of ${JSON.stringify(question)}`);
    }
  }
}

async function ask({ question, gold }: Question, snapshot: Snapshot, retrieval: Retrieval) {
  const { passages } = await retrieval.search([snapshot], {
    query: question,
    limit: searchLimits.s20,
    patienceMs,
    signal: undefined,
  });
  const rankIn = (shown: readonly Shown[]) => {
    const index = shown.findIndex((one) => answers(one, gold));
    return index === -1 ? Infinity : index + 1;
  };
  const answer = await askBuiltin(question, { snapshot, retrieval });
  return {
    lines: answer.split("\n").length,
    extract: rankIn(shownIn(answer)),
    found: rankIn(passages.map(({ path, lines }) => ({ paths: [path], text: lines.join("\n") }))),
  };
}

function answers({ paths, text }: Shown, gold: Question["gold"]): boolean {
  return gold.some((one) => paths.includes(one.path) && flat(text).includes(flat(one.text)));
}

/** Answers quote code as it is, or in backticks on one line. */
function flat(text: string): string {
  return text.replaceAll("`", "").replace(/\s+/g, " ").trim();
}

/** Lines with a citation marker, each with the code block below it, and with the extracts of the same file that follow. */
function shownIn(answer: string): Shown[] {
  const shown: Shown[] = [];
  let fence = "";
  for (const line of answer.split("\n")) {
    const [run = ""] = /^`{3,}/.exec(line) ?? [];
    const last = shown.at(-1);
    if (fence === "" && run !== "") fence = run;
    else if (fence !== "" && line === fence) fence = "";
    else if (fence !== "" && last !== undefined) last.text += `\n${line}`;
    else if (fence === "") {
      const paths = [...line.matchAll(/\[\[[^:\]]+:([^#\]]+)#L/g)].map(([, path = ""]) => decodeURIComponent(path));
      if (line.startsWith("Also there,") && last !== undefined) last.text += `\n${line}`;
      else if (paths.length > 0) shown.push({ paths, text: line });
    }
  }
  return shown;
}

/** Shares of the questions, between 0 and 1: answered by the first extract, by any, and by search among the first n. */
function score(own: readonly Outcome[]) {
  const share = (isMet: (outcome: Outcome) => boolean) => own.filter(isMet).length / Math.max(1, own.length);
  const lines = own.map((outcome) => outcome.lines).toSorted((a, b) => a - b);
  const linesAt = (quantile: number) => lines[Math.floor(quantile * lines.length)] ?? 0;
  const among = (limit: number) => share(({ found }) => found <= limit);
  return {
    n: own.length,
    lines50: linesAt(0.5),
    lines90: linesAt(0.9),
    first: share(({ extract }) => extract === 1),
    any: share(({ extract }) => extract < Infinity),
    s1: among(searchLimits.s1),
    s3: among(searchLimits.s3),
    s5: among(searchLimits.s5),
    s20: among(searchLimits.s20),
  };
}
