import * as fc from "fast-check";
import { expect, test } from "vitest";
import { filesNamedIn, pointersIn } from "../../../server/source/pointers.ts";

test.each<[string, string[]]>([
  ["why is src/retry.ts:42 there?", ["src/retry.ts:42"]],
  ["see `./src/retry.ts:42`.", ["src/retry.ts:42"]],
  ["(src/retry.ts:42:7)", ["src/retry.ts:42"]],
  ["what happens in retry.py line 12?", ["retry.py:12"]],
  ["what happens in retry.py, at line 12?", ["retry.py:12"]],
  ["what does line 12 of lib/retry.rb do", ["lib/retry.rb:12"]],
  ["https://github.com/o/r/blob/main/src/a.ts#L12-L20 why?", ["src/a.ts:12"]],
  ["https://gitlab.com/g/o/r/-/blob/v1.2/src/a%20b.ts#L7", ["src/a b.ts:7"]],
  ["https://codeberg.org/o/r/src/branch/main/a.go#L3", ["a.go:3"]],
  ["https://bitbucket.org/o/r/src/main/a.py#lines-3", []],
  ['Traceback (most recent call last):\n  File "/app/a.py", line 3, in f\n', ["/app/a.py:3"]],
  ["    at next (/app/src/retry.ts:9:5)", ["/app/src/retry.ts:9"]],
  ["it takes 10:30 hours and costs 3.50:1", []],
  ["listen on localhost.localdomain:8080", []],
  ["src/retry.ts", []],
  ["", []],
])("%j points at %j", (text, expected) => {
  expect(pointersIn(text).map(({ path, line }) => `${path}:${line}`)).toEqual(expected);
});

test.each<[string, string[]]>([
  ["see `./src/retry.ts` and retry.py, not src/other.ts:42", ["src/retry.ts", "retry.py"]],
  ["https://github.com/o/r/blob/main/src/a%20b.ts?plain=1 why?", ["src/a b.ts"]],
  ["https://github.com/o/r/blob/main/src/a.ts#L3 why?", []],
  ['  File "/app/a.py", line 3, in f\nfails', []],
  ["in version 1.2.3 of example.org, e.g. with self.retry", []],
])("%j names the files %j", (text, expected) => {
  expect(filesNamedIn(text)).toEqual(expected);
});

test("a frame of Java has the folders of its package", () => {
  const trace = "\tat com.foo.Bar.baz(Bar.java:12)\n\tat java.base/java.util.ArrayList.get(ArrayList.java:4)";
  expect(pointersIn(trace)).toEqual([
    { path: "com/foo/Bar.java", line: 12, isFrame: true },
    { path: "java/util/ArrayList.java", line: 4, isFrame: true },
  ]);
});

test("any text is read, in linear time", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => Array.isArray(pointersIn(text))));
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => Array.isArray(filesNamedIn(text))));
  const long = `${"a.".repeat(100_000)}${"/".repeat(100_000)}`;
  expect([...pointersIn(long), ...filesNamedIn(long)]).toEqual([]);
});
