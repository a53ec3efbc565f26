import { describe, expect, test } from "vitest";
import { framesIn } from "../../../server/source/frames.ts";

function check(text: string, expected: { frames: string[]; rest: string }): void {
  const { frames, rest } = framesIn(text);
  expect({ frames: frames.map(({ path, line }) => `${path} ${line}`), rest }).toEqual(expected);
}

describe("the places that a pasted text names, and what else it says", () => {
  test("JavaScript", () =>
    check(
      `TypeError: three.x is not a function
    at foo (/app/lib/bar.ts:12:5)
    at async /app/b.ts:1:2
    at new Foo (C:\\app\\d.ts:5:6)
    at Object.<anonymous> (file:///app/c.mjs:3:4)
    at node:internal/main/run_main_module:23:47`,
      {
        frames: ["/app/lib/bar.ts 12", "/app/b.ts 1", "/app/d.ts 5", "/app/c.mjs 3"],
        rest: "TypeError: three.x is not a function",
      },
    ));

  test("Python, whose last frame is the innermost", () =>
    check(
      `Traceback (most recent call last):
  File "a/b.py", line 12, in f
    g(x)
    ^^^^
  File "a/c.py", line 3, in g
    raise KeyError(x)
KeyError: 1`,
      { frames: ["a/c.py 3", "a/b.py 12"], rest: "KeyError: 1" },
    ));

  test("Java", () =>
    check("java.io.IOException: no place\n\tat com.foo.Bar.baz(Bar.java:12)\n\t... 3 more", {
      frames: ["Bar.java 12"],
      rest: "java.io.IOException: no place",
    }));

  test("C#", () =>
    check("System.Exception: it failed\n   at A.B() in /app/b.cs:line 12", {
      frames: ["/app/b.cs 12"],
      rest: "System.Exception: it failed",
    }));

  test("Go", () =>
    check("panic: too late\n\ngoroutine 1 [running]:\nmain.f(...)\n\t/app/x.go:12 +0x1d", {
      frames: ["/app/x.go 12"],
      rest: "panic: too late\n\nmain.f(...)",
    }));

  test("Rust", () =>
    check("thread 'main' panicked at src/main.rs:4:5:\ntoo late\n   3: app::run\n             at ./src/run.rs:9:3", {
      frames: ["src/main.rs 4", "src/run.rs 9"],
      rest: "too late\n   3: app::run",
    }));

  test("Ruby", () =>
    check("a/b.rb:12:in 'f': undefined method 'x' (NoMethodError)\n\tfrom a/c.rb:3:in '<main>'", {
      frames: ["a/b.rb 12", "a/c.rb 3"],
      rest: "undefined method 'x' (NoMethodError)",
    }));

  test("PHP", () =>
    check("PHP Fatal error:  Uncaught Error: no function x() in /app/a.php:3\n#0 /app/b.php(12): foo()", {
      frames: ["/app/a.php 3", "/app/b.php 12"],
      rest: "Fatal error:  Uncaught Error: no function x()",
    }));

  test("a browser", () =>
    check("foo@http://localhost:3000/src/bar.js:12:5\n@http://localhost:3000/b.js:1:1", {
      frames: ["/src/bar.js 12", "/b.js 1"],
      rest: "",
    }));

  test("a compiler", () =>
    check("src/a.ts(12,5): error TS2345: Not assignable.\nsrc/b.ts:3:4 - error TS2345: Not assignable.", {
      frames: ["src/a.ts 12", "src/b.ts 3"],
      rest: "error TS2345: Not assignable.\nerror TS2345: Not assignable.",
    }));

  test("a question that names no line stays as it is", () =>
    check("How is it retried?\n  at the end of retry.ts: 3", {
      frames: [],
      rest: "How is it retried?\n  at the end of retry.ts: 3",
    }));
});

test("the function that a line of a trace names", () => {
  const nameOf = (text: string) => framesIn(text).frames[0]?.name;
  expect(
    [
      "    at foo (/app/lib/bar.ts:12:5)",
      "    at async Bar.load (/app/b.ts:1:2)",
      "    at new Foo (/app/d.ts:5:6)",
      "    at /app/d.ts:5:6",
      '  File "a/c.py", line 3, in g',
      '  File "a/c.py", line 3, in <module>',
      "\tat com.foo.Bar.baz(Bar.java:12)",
      "main.(*T).run(0x1)\n\t/app/x.go:12 +0x1d",
      "a/b.rb:3:in `save'",
      "a/b.rb:3:in 'Store#save'",
      "#0 /app/bar.php(12): App\\Cart->add()",
    ].map(nameOf),
  ).toEqual(["foo", "load", "Foo", undefined, "g", undefined, "baz", "run", "save", "save", "add"]);
});

describe("a diff", () => {
  const diff = `diff --git a/src/a.ts b/src/a.ts
index 36fb0f9..ebd9cf8 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -10,4 +10,4 @@ export function one() {
 const a = 1;
-const b = 2;
+const b = 3;
 const c = 4;
 const d = 5;
@@ -40,2 +40,3 @@
 x
+y
 z
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
`;

  test("the first changed line of each hunk, and the question", () => {
    const { frames, rest, isDiff } = framesIn(`What does this break?\n\n${diff}`);
    expect(frames).toEqual([
      { path: "src/a.ts", line: 11 },
      { path: "src/a.ts", line: 41 },
      { path: "gone.py", line: 1 },
    ]);
    expect({ rest, isDiff }).toEqual({ rest: "What does this break?", isDiff: true });
  });

  test("without prefixes, and cut", () => {
    const plain = diff
      .replaceAll(/ [ab]\//g, " ")
      .split("\n")
      .slice(0, 7)
      .join("\n");
    expect(framesIn(plain).frames).toEqual([{ path: "src/a.ts", line: 11 }]);
  });
});
