import { expect, test } from "vitest";
import { createLog, type LogFields, type LogFormat } from "../../../server/lib/log.ts";

function check(format: LogFormat, fields: LogFields): string {
  const lines: string[] = [];
  createLog("info", (line) => lines.push(line), format).warn("disk-full", fields);
  return lines.join("").replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, "<time>");
}

test("an event is a line of text, or a JSON object", () => {
  const fields = { path: "/data", note: 'two\nlines "quoted"', count: 3 };
  expect(check("text", fields)).toBe('<time> warn disk-full path=/data note="two\\nlines \\"quoted\\"" count=3\n');
  expect(JSON.parse(check("json", fields))).toEqual({ time: "<time>", level: "warn", event: "disk-full", ...fields });
});

test("an error has its stack in both", () => {
  const error = new Error("no space");
  const stack = JSON.stringify(error.stack);
  expect(check("text", { error })).toBe(`<time> warn disk-full error=${stack}\n`);
  expect(JSON.parse(check("json", { error }))).toMatchObject({ error: error.stack });
});
