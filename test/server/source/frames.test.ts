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
