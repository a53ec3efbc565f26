import { expect, test } from "vitest";
import { defaultExportIn, entryFiles, exportedNames } from "../../../server/upgrade/default-export.ts";

test("the files of a package that its manifest names are its entries, not those of its parts", () => {
  const entries = (manifest: object, ...paths: string[]) => entryFiles(JSON.stringify(manifest), new Set(paths));
  expect(entries({}, "index.js", "other.js")).toEqual(["index.js"]);
  expect(entries({ main: "./lib", module: "a.mjs" }, "lib/index.js", "a.mjs")).toEqual(["lib/index.js", "a.mjs"]);
  const exports = { ".": { import: { types: "./a.d.ts", default: "./a.js" }, require: "./b.cjs" }, "./c": "./c.js" };
  expect(entries({ main: "b.cjs", exports }, "a.js", "a.d.ts", "b.cjs", "c.js")).toEqual(["b.cjs", "a.d.ts", "a.js"]);
  expect(entries({ types: "a.d.ts" }, "index.js", "a.d.ts", "b.ts")).toEqual(["index.js", "a.d.ts"]);
});

test("the names that an ES module exports, unless it exports all of another one", () => {
  const names = (text: string) => {
    const found = exportedNames(text);
    return found && [...found];
  };
  expect(names('export { a, b as c } from "./x";\nexport async function d() {}\nexport const e = 1;\n')).toEqual([
    "a",
    "c",
    "d",
    "e",
  ]);
  expect(names("export declare class A {}\nexport type { B };\nexport interface C {}\n")).toEqual(["B", "A", "C"]);
  expect(names("const a=1;export{a as b,c};")).toEqual(["b", "c"]);
  expect(names('export { a };\nexport * from "./x";\n')).toBeUndefined();
  expect(names("exports.a = 1;\n")).toBeUndefined();
});

test("what a file exports as a whole, and whether `require` returns it", () => {
  const found = (text: string) => {
    const one = defaultExportIn("a.js", text.split("\n"));
    return one && `${one.line} ${one.isRequired}`;
  };
  expect(found("const a = 1;\nmodule.exports = a;\n")).toBe("2 true");
  expect(found("exports = module.exports = create;\n")).toBe("1 true");
  expect(found("export default class {}\n")).toBe("1 false");
  expect(found('Object.defineProperty(exports, "default", {});\n')).toBe("1 false");
  expect(found("module.exports = { a };\nexports.b = 1;\n")).toBeUndefined();
  expect(found('return mod.__esModule ? mod : { "default": mod };\n')).toBeUndefined();
});
