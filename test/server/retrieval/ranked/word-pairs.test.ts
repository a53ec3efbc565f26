import { expect, test } from "vitest";
import { withoutImports } from "../../../../server/retrieval/ranked/close-reading.ts";
import { parseQuery } from "../../../../server/retrieval/ranked/query.ts";
import { createTermFinder } from "../../../../server/retrieval/ranked/term-finder.ts";
import { createPairFinder } from "../../../../server/retrieval/ranked/word-pairs.ts";

/** How much of the question stands in the text in pairs; every term is worth the same. */
function check(question: string, text: string, expected: number | undefined, path = "a.ts") {
  const query = parseQuery(question, { resources: [] });
  const pairedShare = createPairFinder(query, { values: query.terms.map(() => 1) });
  const words = () => withoutImports(createTermFinder(query)(text), { path, text });
  expect(pairedShare?.({ text, words })).toBe(expected);
}

test("words that follow each other count, however they are written and ended", () => {
  check("closing sockets later", "closeSocket(later)", 2 / 3);
  check("closing sockets later", "close_socket and then, in the end, it is too late", 1 / 3);
});

test("stop words, line ends and one other word may come between", () => {
  check("buffer of bytes", "a buffer, which has\n\n// bytes", 1 / 2);
  check("buffer bytes", "buffer very long bytes", 1 / 2);
  check("buffer bytes", "buffer long shared bytes", 0);
  check("buffer bytes", "buffer\nshared\nbytes", 0);
  check("buffer bytes", "buffer\r\nshared\r\nbytes", 0);
});

test("the order counts", () => check("buffer bytes", "bytes buffer", 0));

test("what a file imports is not what it is about", () => {
  check("buffer bytes", 'import { bufferBytes } from "../b.ts";\n', 0);
  check("buffer bytes", 'import { bufferBytes } from "../b.ts";\n', 1 / 2, "a.md");
});

test("a question of one word has no pairs", () => check("buffer", "buffer", undefined));
