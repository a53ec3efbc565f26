import { Option } from "commander";
import type { Definition } from "./definition.ts";
import {
  answerOptions,
  collect,
  collectChoice,
  parseCount,
  parseCountOrNone,
  portOption,
  serverOption,
} from "./global-options.ts";
import { compareFormats, upgradeFormats, verifyFormats } from "../output/report-formats.ts";

/** As `FileKind` of the protocol has them, which `--help` does not load. */
const fileKinds = ["code", "docs", "test", "config", "other"] as const;

/** What asks something of resources. */
export function defineQuestionCommands({ program, terminal, finish }: Definition): void {
  const ask = program
    .command("ask")
    .description("ask a question about one or more resources")
    .argument("[question...]", "the question, in place of -q")
    .option("-q, --question <text>", "the question; `-` reads it from standard input, `@file` from a file")
    .option("--stdin", "wait for piped text in addition to -q; fail if there is none")
    .option("-r, --resource <name>", "a configured name, git URL, npm:<package> or path; repeatable", collect, [])
    .option("--strict", "fail if a citation is neither verified nor relocated, or there is none")
    .option(
      "--thread <id>",
      "continue this thread (a saved conversation), or start a `new` one; without this or --continue, nothing is saved",
    )
    .option("--continue", "continue the most recent thread")
    .option("--provider <id>", "the provider to ask, instead of the configured one")
    .option("--model <id>", "the model to ask, instead of the configured one")
    .option("--jsonl", "print events as they arrive, one JSON object per line")
    .addOption(serverOption())
    .addOption(portOption())
    .action(async (words, options) =>
      finish(await (await import("../commands/ask.ts")).ask({ ...options, words }, terminal)),
    );
  for (const option of answerOptions()) ask.addOption(option);

  program
    .command("search")
    .description("search resources, without a model")
    .argument("[query]", "words, a text, a regular expression, a name, or a line to read around: src/retry.ts:6")
    .option("-r, --resource <name>", "a configured name, git URL, npm:<package> or path; repeatable", collect, [])
    .option("--limit <count>", "how many results, 1 to 100", parseCount, 20)
    .addOption(new Option("--exact", "find this exact text").conflicts(["regex", "definition", "references"]))
    .addOption(
      new Option("--regex", "find what this regular expression matches").conflicts([
        "exact",
        "definition",
        "references",
      ]),
    )
    .addOption(new Option("--definition", "find the definitions of this name, whole").conflicts("references"))
    .option("--references", "find where this name is used, calls first")
    .option("-i, --ignore-case", "with --exact or --regex: ignore case")
    .option("-w, --whole-word", "with --exact or --regex: no letter, digit or _ beside the match")
    .option("-C, --context <lines>", "with --exact or --regex: lines before and after, 0 to 20", parseCountOrNone)
    .addOption(
      new Option("-c, --count", "with --exact or --regex: how many lines match in each file, the most first").conflicts(
        "context",
      ),
    )
    .option("-g, --glob <pattern>", "only files whose path matches; several with commas between")
    .addOption(
      new Option("--kind <kind>", "only files of this kind; repeatable")
        .choices(fileKinds)
        .argParser(collectChoice(fileKinds))
        .default([]),
    )
    .option("--offset <count>", "how many results to skip, for the next page", parseCountOrNone)
    .option("--jsonl", "print one JSON object per result and line")
    .option("--batch <file>", "a search per line: {id, query} in, {id, results} out; `-` reads standard input")
    .addOption(serverOption())
    .addOption(portOption())
    .action(async (query, options) =>
      finish(await (await import("../commands/search.ts")).search(query, options, terminal)),
    );

  program
    .command("history")
    .description("show the commits that changed a place or a text, or the releases of a package; asks no model")
    .argument("[place]", "a path, a path with lines (src/a.ts:10-40), the name of a definition, or a package (npm:zod)")
    .option("-r, --resource <name>", "a configured name, git URL or folder; without one, the open project")
    .addOption(new Option("--text <text>", "the commits that added or removed this text").conflicts("commit"))
    .option("--regex", "with --text: it is a regular expression")
    .addOption(
      new Option("--commit <id>", "this commit: its message, changes and first release; of a package, this version"),
    )
    .addOption(
      new Option("--blame", "which commit last changed each line of the place").conflicts(["text", "commit", "regex"]),
    )
    .option("--at <revision>", "look back from this commit, branch or tag")
    .option("--since <date>", "only what is newer than this date, commit, tag or version")
    .option("--limit <count>", "how many commits, 1 to 50", parseCount, 10)
    .option("--diff-lines <count>", "how many changed lines of each commit, 0 to 200", parseCountOrNone, 20)
    .addOption(serverOption())
    .addOption(portOption())
    .action(async (place, options) =>
      finish(await (await import("../commands/history.ts")).history(place, options, terminal)),
    );

  program
    .command("upgrade")
    .description("report what another version of a dependency changes for your code; asks no model")
    .argument("<package>", "a dependency of the project, as its manifest names it: zod, or npm:zod")
    .option("--to <version>", "the wanted version, a range or a tag; or the package that replaces it: org.demo:other@5")
    .option("--changelog <name>", "a git URL, folder or configured name whose changelog is read, too")
    .addOption(new Option("--format <format>", "how to report").choices(upgradeFormats).default("text"))
    .option("--limit <count>", "how many findings, 1 to 500", parseCount, 100)
    .addOption(serverOption())
    .addOption(portOption())
    .action(async (name, options) =>
      finish(await (await import("../commands/upgrade.ts")).upgrade(name, options, terminal)),
    );

  const compare = program
    .command("compare")
    .description(
      "compare two versions of a package, or two revisions of a repository; without a question, asks no model",
    )
    .argument("<before>", "npm:express@4, a dependency's name, a resource with a revision (zod@v3), a folder (.@v1)")
    .argument("<after>", "the same at another version, or the version alone: 5, v4, HEAD")
    .argument("[question]", "answer this from both, instead of listing what differs")
    .option("--diff <place>", "also show the changed lines of a file or a definition: lib/router.js, res.send")
    .option("--changelog <name>", "a git URL, folder or configured name whose changelog is read, too")
    .addOption(new Option("--format <format>", "how to report").choices(compareFormats).default("text"))
    .option("--limit <count>", "how long each list is, 1 to 1000", parseCount, 20)
    .option("--strict", "with a question: fail if a citation is neither verified nor relocated, or there is none")
    .option("--provider <id>", "with a question: the provider to ask, instead of the configured one")
    .option("--model <id>", "with a question: the model to ask, instead of the configured one")
    .addOption(serverOption())
    .addOption(portOption())
    .action(async (before, after, question, options) =>
      finish(await (await import("../commands/compare.ts")).compare(before, after, question, options, terminal)),
    );
  for (const option of answerOptions()) compare.addOption(option);

  program
    .command("verify")
    .description("check the citations and relative links in Markdown files; exit code 4 if one fails")
    .argument("<files...>", "Markdown files or patterns; `-` reads standard input")
    .option(
      "-r, --resource <name>",
      "a cited resource: a name, git URL, npm:<package> or path; repeatable",
      collect,
      [],
    )
    .addOption(new Option("--format <format>", "how to report").choices(verifyFormats).default("text"))
    .option("--allow-empty", "end with 0, not 3, when there are no citations and no links")
    .action(async (files, options) =>
      finish(await (await import("../commands/verify.ts")).verify(files, options, terminal)),
    );
}
