import { expect, test } from "vitest";
import { createProgressWriter } from "../../../../server/hosted/jobs/progress.ts";
import { describeProgress } from "../../../../server/hosted/jobs/describe-fetch.ts";
import { createChannel } from "../../../../server/lib/channel.ts";
import type { FetchProgress } from "../../../../server/protocol/hosted.ts";

const at = (percent: number): FetchProgress => ({
  phase: "fetch",
  fraction: percent / 100,
  message: "receiving files",
});

test("only the newest progress is written after each interval, and none after the end", async () => {
  const written = createChannel<FetchProgress>();
  const write = async (progress: FetchProgress) => written.push(progress);
  {
    await using writer = createProgressWriter(write, { intervalMs: 1 });
    for (const percent of [1, 2, 3]) writer.report(at(percent));
    const steps = written[Symbol.asyncIterator]();
    expect([await steps.next(), await steps.next()]).toMatchObject([{ value: at(1) }, { value: at(3) }]);
  }
  const once: FetchProgress[] = [];
  {
    await using writer = createProgressWriter(async (progress) => void once.push(progress), { intervalMs: 3_600_000 });
    for (const percent of [1, 2, 3]) writer.report(at(percent));
  }
  expect(once).toEqual([at(1)]);
});

test.each<[FetchProgress, string]>([
  [at(42.9), "receiving files, 42 %"],
  [{ phase: "resolve", message: "looking for the newest revision" }, "looking for the newest revision"],
  [{ phase: "index", fraction: 0.5, message: "indexing 5 of 10 files" }, "indexing 5 of 10 files"],
])("%j is shown as: %s", (progress, text) => {
  expect(describeProgress(progress)).toBe(text);
});
