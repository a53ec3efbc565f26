import sqlite from "node-sqlite3-wasm";
import * as z from "zod";
import { contentWords, splitIdentifier, wordsIn } from "../server/source/words.ts";
import type { Snapshot } from "../server/resources/snapshot.ts";

/** A baseline: SQLite FTS5 over chunks with split identifiers and a path. */
export interface Rival extends Disposable {
  search(query: string, limit: number): z.infer<typeof Place>[];
}

const Place = z.object({ path: z.string(), startLine: z.number(), endLine: z.number() });

const chunkLines = 40;
const largestFileBytes = 1024 * 1024;

/** Indexes all files of a snapshot in memory. */
export async function buildRival(snapshot: Snapshot): Promise<Rival> {
  const database = new sqlite.Database(":memory:");
  database.exec("create virtual table chunks using fts5(path, body, place unindexed, tokenize = 'porter unicode61')");
  const insert = database.prepare("insert into chunks values (?, ?, ?)");
  database.exec("begin");
  for (const { path, sizeBytes } of snapshot.files) {
    if (sizeBytes > largestFileBytes) continue;
    const lines = await snapshot.read(path).then(
      (source) => source.lines,
      () => [],
    );
    for (let start = 0; start < lines.length; start += chunkLines) {
      const chunk = lines.slice(start, start + chunkLines);
      const place = JSON.stringify({ path, startLine: start + 1, endLine: start + chunk.length });
      insert.run([withParts(path), withParts(chunk.join("\n")), place]);
    }
  }
  database.exec("commit");
  insert.finalize();
  const select = database.prepare(
    "select place from chunks where chunks match ? order by bm25(chunks, 5.0, 1.0) limit ?",
  );
  return {
    search(query, limit) {
      const terms = [...new Set(contentWords(query).flatMap((word) => [word, ...splitIdentifier(word)]))];
      const match = terms.map((term) => `"${term}"`).join(" OR ");
      return select.all([match, limit]).map(({ place }) => Place.parse(JSON.parse(z.string().parse(place))));
    },
    [Symbol.dispose]() {
      select.finalize();
      database.close();
    },
  };
}

/** The text followed by the parts of its identifiers. */
function withParts(text: string): string {
  const parts = wordsIn(text).flatMap((word) => {
    const own = splitIdentifier(word);
    return own.length > 1 ? own : [];
  });
  return `${text}\n${parts.join(" ")}`;
}
