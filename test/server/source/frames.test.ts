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

  test("Rust before 1.73", () =>
    check("thread 'main' panicked at 'too late', src/main.rs:4:5\nnote: run with RUST_BACKTRACE", {
      frames: ["src/main.rs 4"],
      rest: "too late\nnote: run with RUST_BACKTRACE",
    }));

  test("C, Dart and Haskell", () =>
    check(
      `#0  0x00007f in save (x=1) at src/store.c:12
    #1 0x55e in load /app/src/load.c:34:5
#2      main (package:app/main.dart:56:7)
  error, called at src/Main.hs:78:9 in main:Main`,
      { frames: ["src/store.c 12", "/app/src/load.c 34", "app/main.dart 56", "src/Main.hs 78"], rest: "" },
    ));

  test("PHP's warnings", () =>
    check("PHP Warning:  Undefined variable $x in /app/a.php on line 3\n  thrown in /app/b.php on line 4", {
      frames: ["/app/a.php 3", "/app/b.php 4"],
      rest: "Warning:  Undefined variable $x\nthrown",
    }));

  test("Java, where the last cause is where it began", () =>
    check(
      `java.lang.RuntimeException: outside
\tat com.foo.A.a(A.java:1)
\tat com.foo.A.b(A.java:2)
Caused by: java.io.IOException: inside
\tat com.foo.B.c(B.java:3) ~[foo-1.0.jar:1.0]
\tat com.foo.B.d(B.java:4)
\t... 7 more`,
      {
        frames: ["B.java 3", "B.java 4", "A.java 1", "A.java 2"],
        rest: "java.lang.RuntimeException: outside\nCaused by: java.io.IOException: inside",
      },
    ));

  test("pytest, whose last frame is the innermost", () => {
    check("tests/test_a.py:12: in test_a\n    load(1)\nsrc/a.py:3: in load\n    raise KeyError\nE   KeyError: 1", {
      frames: ["src/a.py 3", "tests/test_a.py 12"],
      rest: "in test_a\nin load\nE   KeyError: 1",
    });
    expect(
      framesIn(
        "    def test_a():\n>       load(1)\n\ntests/test_a.py:12: \n_ _ _ _\n\n>   raise\n\nsrc/a.py:3: KeyError",
      ).frames,
    ).toEqual([
      { path: "src/a.py", line: 3 },
      { path: "tests/test_a.py", line: 12 },
    ]);
  });

  test("what Python checkers say is in their order", () =>
    check("a.py:1: error: no\nb.py:2:3: E501 too long", {
      frames: ["a.py 1", "b.py 2"],
      rest: "error: no\nE501 too long",
    }));

  test("IPython, before and since version 8", () => {
    expect(
      framesIn(`KeyError   Traceback (most recent call last)
<ipython-input-3-abc> in <module>
----> 1 load(1)

~/app/a.py in load(x)
     10 def load(x):
     11     y = x
---> 12     get(y)
     13

/lib/site-packages/b.py in get(self, key)
      1
----> 2 raise KeyError(key)`).frames,
    ).toEqual([
      { path: "/lib/site-packages/b.py", line: 2, name: "get" },
      { path: "~/app/a.py", line: 12, name: "load" },
    ]);
    expect(
      framesIn(`Cell In[3], line 1
----> 1 load(1)

File ~/app/a.py:12, in load(x)
     11     y = x
---> 12     get(y)

File /lib/b.py:2, in B.get(self, key)
      1`).frames,
    ).toEqual([
      { path: "/lib/b.py", line: 2, name: "get" },
      { path: "~/app/a.py", line: 12, name: "load" },
    ]);
  });

  test("a dump of threads is innermost first", () =>
    check('Current thread 0x1 (most recent call first):\n  File "a.py", line 1 in f\n  File "b.py", line 2 in g', {
      frames: ["a.py 1", "b.py 2"],
      rest: "Current thread 0x1 (most recent call first):",
    }));

  test("as many as are wanted, from a long text its beginning and its end", () => {
    const text = `a.go:1\n${"x\n".repeat(20_000)}b.go:2\nc.go:3`;
    expect(framesIn(text).frames.map(({ path }) => path)).toEqual(["a.go", "b.go", "c.go"]);
    expect(framesIn(text, { limit: 1 }).frames.map(({ path }) => path)).toEqual(["a.go"]);
  });

  test("a question that names no line stays as it is", () =>
    check("How is it retried?\n  at the end of retry.ts: 3", {
      frames: [],
      rest: "How is it retried?\n  at the end of retry.ts: 3",
    }));
});

test.each([
  ["a quotation", "> "],
  ["pytest", "E   "],
  ["a log", "2026-01-31 12:00:00,123 ERROR "],
  ["a log in ISO time", "2026-01-31T12:00:00.123Z [worker-1] WARN: "],
  ["a log of a day", "31/Jan/2026:12:00:00 +0100 | "],
  ["a system log", "Jan 31 12:00:00 "],
  ["a clock", "[12:00:00] "],
  ["a container", "web_1  | "],
  ["a build of an image", "#8 12.34 "],
  ["stderr", "stderr: "],
  ["a box", "│ "],
  ["two of them", "app-1 | > "],
])("the prefix of each line of %s is not a part of the trace", (_, prefix) => {
  const prefixed = (text: string) => text.replaceAll(/^/gm, prefix);
  const python =
    'Traceback (most recent call last):\n  File "a/b.py", line 12, in f\n    g(x)\n  File "a/c.py", line 3, in g\n    x()\nKeyError: 1';
  expect(framesIn(prefixed(python))).toEqual({
    frames: [
      { path: "a/c.py", line: 3, name: "g" },
      { path: "a/b.py", line: 12, name: "f" },
    ],
    rest: "KeyError: 1",
    isDiff: false,
  });
  const frames = (text: string) => framesIn(prefixed(text)).frames.map(({ path, line }) => `${path} ${line}`);
  expect(frames("Error: no\n    at foo (/app/lib/bar.ts:12:5)\n    at /app/b.ts:1:2")).toEqual([
    "/app/lib/bar.ts 12",
    "/app/b.ts 1",
  ]);
  expect(frames("java.io.IOException: no\n\tat com.foo.Bar.baz(Bar.java:12)")).toEqual(["Bar.java 12"]);
  expect(frames("main.f(...)\n\t/app/x.go:12 +0x1d")).toEqual(["/app/x.go 12"]);
  expect(frames("** (KeyError) no\n    (app 1.0) lib/a.ex:12: A.b/1")).toEqual(["lib/a.ex 12"]);
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
