import { expect, test } from "vitest";
import { findImportBindings } from "../../../server/source/import-bindings.ts";

/** `local=module:imported` for each binding; `*` is the module itself. */
function bindingsIn(path: string, text: string): string[] {
  return findImportBindings(path, text.split("\n")).map(
    ({ local, module, imported = "*", line }) => `${line} ${local}=${module}:${imported}`,
  );
}

test("names of JavaScript and TypeScript, over several lines and by require", () => {
  const text = `import zod, { z as schema, type ZodError } from "zod";
import * as all from "./all.js";
import {
  one,
  two as deux,
} from "many";
const { a: b, c } = require("pair");
const read = require("fs-extra").readJson;
const later = await import("late");
export { x } from "y";
import "side";
const notImported = load("zod");
import accepts = require("accepts");
export import type shared = require("shared");
import alias = Name.Space;
  require("profiler").start({
    service: 1,
  });`;
  expect(bindingsIn("a.ts", text)).toEqual([
    "1 zod=zod:*",
    "1 schema=zod:z",
    "1 ZodError=zod:ZodError",
    "2 all=./all.js:*",
    "4 one=many:one",
    "5 deux=many:two",
    "7 b=pair:a",
    "7 c=pair:c",
    "8 read=fs-extra:readJson",
    "9 later=late:*",
    "10 x=y:x",
    "11 side=side:*",
    "13 accepts=accepts:*",
    "14 shared=shared:*",
    "16 profiler=profiler:*",
  ]);
});

test("names of Python, Go, Rust, Java and Ruby", () => {
  const python = "import os.path as p, yaml\nfrom a.b import (\n    c,\n    d as e,\n)\nfrom . import near";
  expect(bindingsIn("a.py", python)).toEqual([
    "1 p=os.path:*",
    "1 yaml=yaml:*",
    "3 c=a.b:c",
    "4 e=a.b:d",
    "6 near=.:near",
  ]);
  const go = 'import (\n\t"fmt"\n\tgin "github.com/gin-gonic/gin/v2"\n\t"github.com/go-chi/chi/v5"\n\t_ "embed"\n)';
  expect(bindingsIn("a.go", go)).toEqual([
    "2 fmt=fmt:*",
    "3 gin=github.com/gin-gonic/gin/v2:*",
    "4 chi=github.com/go-chi/chi/v5:*",
  ]);
  const rust = "use clap::{App, builder::{Arg as A, self}};\nuse serde_json;\nuse crate::own;";
  expect(bindingsIn("a.rs", rust)).toEqual([
    "1 App=clap:App",
    "1 A=clap::builder:Arg",
    "1 builder=clap:builder",
    "2 serde_json=serde_json:*",
  ]);
  expect(bindingsIn("A.java", "import org.junit.Assert;\nimport static org.junit.Assert.assertTrue;")).toEqual([
    "1 Assert=org.junit:Assert",
    "2 assertTrue=org.junit.Assert:assertTrue",
  ]);
  expect(bindingsIn("a.rb", "require 'json/add'")).toEqual(["1 json/add=json/add:*"]);
  expect(bindingsIn("a.txt", "import this")).toEqual([]);
});
