import { expect, test } from "vitest";
import { createSharedTasks } from "../../../server/lib/shared-tasks.ts";

test("joining a running task returns its result and latest report", async () => {
  const tasks = createSharedTasks<string, number>();
  let finish = (_result: string) => {};
  let runs = 0;
  const task = ({ report }: { report: (value: number) => void }) => {
    runs++;
    report(1);
    report(2);
    return new Promise<string>((resolve) => {
      finish = resolve;
    });
  };
  const reports: number[][] = [[], []];
  const first = tasks.run("key", task, { onReport: (value) => reports[0]?.push(value) });
  await Promise.resolve();
  const second = tasks.run("key", task, { onReport: (value) => reports[1]?.push(value) });
  finish("done");
  expect(await Promise.all([first, second])).toEqual(["done", "done"]);
  expect(runs).toBe(1);
  expect(reports).toEqual([[1, 2], [2]]);
});

test("a finished or failed task runs again", async () => {
  const tasks = createSharedTasks<number, never>();
  let runs = 0;
  const task = async () => {
    runs++;
    if (runs === 1) throw new Error("the first fails");
    return runs;
  };
  await expect(tasks.run("key", task, {})).rejects.toThrow("the first fails");
  expect(await tasks.run("key", task, {})).toBe(2);
  expect(await tasks.run("key", task, {})).toBe(3);
});

test("a caller after cancellation does not get the cancelled task", async () => {
  const tasks = createSharedTasks<string, never>();
  const cancelled = new AbortController();
  const aborted = tasks.run(
    "key",
    ({ signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    { signal: cancelled.signal },
  );
  await Promise.resolve();
  cancelled.abort(new Error("no longer wanted"));
  await expect(aborted).rejects.toThrow("no longer wanted");
  expect(await tasks.run("key", async () => "fresh", {})).toBe("fresh");
});

test("an aborted signal starts nothing", async () => {
  const tasks = createSharedTasks<string, never>();
  let runs = 0;
  const task = async () => `${runs++}`;
  await expect(tasks.run("key", task, { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
  expect(runs).toBe(0);
});
