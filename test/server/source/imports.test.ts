import { expect, test } from "vitest";
import { findImport } from "../../../server/source/imports.ts";

test.each([
  ["TypeScript", 'import { a, Cancelled } from "salsa";', "salsa", 1],
  ["TypeScript, over lines", 'import {\n  a,\n  type Cancelled,\n} from "salsa/core";', "salsa/core", 3],
  ["TypeScript, again", 'export { Cancelled } from "./salsa.ts";', "./salsa.ts", 1],
  ["TypeScript, default", 'import Cancelled, { a } from "salsa";', "salsa", 1],
  ["TypeScript, qualified", 'import * as salsa from "@x/salsa";\nthrow new salsa.Cancelled();', "@x/salsa", 1],
  ["JavaScript", 'const { a, Cancelled } = require("salsa");', "salsa", 1],
  ["TypeScript, of a CommonJS module", 'import Cancelled = require("salsa");', "salsa", 1],
  ["JavaScript, over lines", "const {\n  a,\n  Cancelled,\n} = require('salsa');", "salsa", 3],
  ["Python", "from salsa.errors import a, Cancelled", "salsa.errors", 1],
  ["Python, over lines", "from salsa import (\n    a,\n    Cancelled,\n)", "salsa", 3],
  ["Python, relative", "from . import Cancelled", ".", 1],
  ["Python, qualified", "import salsa\n\nraise salsa.Cancelled()", "salsa", 1],
  ["Rust", "use salsa::Cancelled;", "salsa", 1],
  ["Rust, a list", "pub(crate) use salsa::{\n    plumbing::Cycle,\n    Cancelled,\n};", "salsa", 3],
  ["Rust, nested", "use salsa::plumbing::{Cycle, Cancelled as C};", "salsa::plumbing", 1],
  ["Rust, a module", "use salsa;\nfn f() -> salsa::Cancelled {}", "salsa", 1],
  ["Go", 'import (\n\t"fmt"\n\n\t"github.com/x/salsa"\n)\n\nvar e salsa.Cancelled', "github.com/x/salsa", 4],
  ["Go, renamed", 'import s "github.com/x/salsa/v2"\n\nvar e s.Cancelled', "github.com/x/salsa/v2", 1],
  ["Go, a major version", 'import "github.com/x/salsa/v2"\n\nvar e salsa.Cancelled', "github.com/x/salsa/v2", 1],
  ["Rust, a path without an import", "fn f() -> Result<(), salsa::Cancelled> {}", "salsa", 1],
  ["Java", "import static org.salsa.Errors.Cancelled;", "org.salsa.Errors", 1],
  ["Kotlin", "import org.salsa.Cancelled", "org.salsa", 1],
  ["Scala", "import org.salsa.{Cycle, Cancelled}", "org.salsa", 1],
  ["PHP", "use Salsa\\Errors\\Cancelled;", "Salsa\\Errors", 1],
  ["PHP, another name", "use \\Salsa\\Errors\\Stopped as Cancelled;", "Salsa\\Errors\\Stopped", 1],
  ["PHP, a function", "use function Salsa\\Cancelled;", "Salsa", 1],
  ["Dart", "import 'package:salsa/salsa.dart' show Cancelled;", "package:salsa/salsa.dart", 1],
  ["Elixir", "  alias Salsa.Errors.Cancelled", "Salsa.Errors", 1],
  ["Haskell", "import qualified Data.Salsa as S (Cycle, Cancelled)", "Data.Salsa", 1],
  ["Lua", 'local Cancelled = require "salsa.errors"', "salsa.errors", 1],
])("finds the module of a name in %s", (_, text, module, line) => {
  expect(findImport(text.split("\n"), "Cancelled")).toMatchObject({ module, line });
});

test.each([
  "// import Cancelled from somewhere",
  "throw new Cancelled();",
  'import { NotCancelled } from "salsa";',
  "#include <cancelled.h>\nCancelled c;",
  'const text = "from salsa import Cancelled";',
  'import { a } from "salsa";\n\nconst Cancelled = load("other");',
  "this.Cancelled();",
])("finds none in %s", (text) => {
  expect(findImport(text.split("\n"), "Cancelled")).toBeUndefined();
});

test("finds a package by its own name, where that is what a question names", () => {
  const go = ["import (", '\t"net/http"', '\t"github.com/gin-gonic/gin"', ")"];
  expect(findImport(go, "gin")).toEqual({ module: "github.com/gin-gonic/gin", imported: "gin", line: 3 });
  const rust = ["use std::fs;", "let value = serde_json::from_str(text)?;"];
  expect(findImport(rust, "serde_json")).toEqual({ module: "serde_json", imported: "serde_json", line: 2 });
  expect(findImport(rust, "from_str", "serde_json")).toMatchObject({ module: "serde_json", line: 2 });
});

test("with an owner, only the import of that owner counts", () => {
  const lines = [
    "import (",
    '\t"log/slog"',
    '\t"go.uber.org/zap/zapcore"',
    ")",
    "var a slog.Level",
    "var b zapcore.Level",
  ];
  expect(findImport(lines, "Level", "zapcore")).toMatchObject({ module: "go.uber.org/zap/zapcore", line: 3 });
  expect(findImport(lines, "Level", "slog")).toMatchObject({ module: "log/slog", line: 2 });
  expect(findImport(lines, "Level", "other")).toBeUndefined();
});

test("reads a long file in no time to speak of", () => {
  for (const line of ["import {", "a, Cancelled,", "x.y.z.Cancelled", "use a::", "const {"]) {
    const lines = Array.from({ length: 20_000 }, () => line);
    expect(findImport(lines, "Cancelled")).toBeUndefined();
  }
});
