import { expect, test } from "vitest";
import type { PackageUse } from "../../../server/upgrade/find-uses.ts";
import { exportingFiles, isExported, moduleFiles } from "../../../server/upgrade/module-paths.ts";

function useOf(module: string, name = module): PackageUse {
  return { module, name, owner: undefined, ownerIs: undefined, types: [], form: "import", line: 1, text: "" };
}

/** The first of the paths that an import may mean. */
function fileOf(language: string, use: PackageUse, paths: readonly string[]): string | undefined {
  const files = moduleFiles(use, language);
  return files && paths.find((path) => files.test(path));
}

test("an import of a part of a package means a file at its place", () => {
  expect(fileOf("js", useOf("uuid/v4"), ["dist/v4.js", "v4.js"])).toBe("v4.js");
  expect(fileOf("ts", useOf("@scope/one/sub/index.js", "x"), ["sub/index.d.ts"])).toBe("sub/index.d.ts");
  expect(fileOf("js", useOf("uuid"), ["index.js"])).toBeUndefined();
  expect(fileOf("js", useOf("lodash/fp"), ["fp/index.js"])).toBe("fp/index.js");
  expect(fileOf("python", useOf("pydantic.generics", "GenericModel"), ["pydantic/generics.py"])).toBe(
    "pydantic/generics.py",
  );
  expect(fileOf("python", useOf("a.b", "c"), ["a/b/__init__.py", "a/bc.py"])).toBe("a/b/__init__.py");
  expect(fileOf("python", useOf("pydantic", "BaseModel"), ["pydantic/__init__.py"])).toBeUndefined();
  const runner = useOf("org.mockito.runners", "MockitoJUnitRunner");
  expect(fileOf("java", runner, ["org/mockito/junit/MockitoJUnitRunner.java"])).toBeUndefined();
  expect(fileOf("java", runner, ["src/org/mockito/runners/MockitoJUnitRunner.java"])).toBeDefined();
  expect(fileOf("java", useOf("org.junit.Assert", "assertTrue"), ["org/junit/Assert.java"])).toBeDefined();
  expect(fileOf("java", useOf("org.a.Outer.Inner", "Most"), ["org/a/Outer.java"])).toBeDefined();
  expect(fileOf("go", useOf("github.com/a/b/c"), ["c/c.go"])).toBeUndefined();
});

test("a part may be exported under another path", () => {
  expect(isExported(useOf("uuid/v4"), '{ "exports": { ".": "./a.js", "./v4": "./dist/v4.js" } }')).toBe(true);
  expect(isExported(useOf("uuid/v4"), '{ "exports": { "./*": "./dist/*.js" } }')).toBe(true);
  expect(isExported(useOf("uuid/v4"), '{ "exports": { ".": "./a.js" }, "files": ["dist/*"] }')).toBe(false);
});

test("the files that say what a module exports are known in Python, Rust and Go", () => {
  const filesOf = (language: string, module: string, paths: readonly string[]) =>
    paths.filter((path) => exportingFiles(module, language)?.test(path));
  expect(filesOf("python", "pkg", ["pkg/__init__.py", "src/pkg/__init__.pyi", "pkg/a.py"])).toEqual([
    "pkg/__init__.py",
    "src/pkg/__init__.pyi",
  ]);
  expect(filesOf("rust", "pkg", ["src/lib.rs", "src/pkg.rs"])).toEqual(["src/lib.rs"]);
  expect(filesOf("rust", "pkg::a::b", ["src/a/b.rs", "src/a/b/mod.rs", "src/b.rs"])).toEqual([
    "src/a/b.rs",
    "src/a/b/mod.rs",
  ]);
  expect(filesOf("go", "github.com/a/b/c", ["c/one.go", "c/d/two.go", "d/c.go"])).toEqual(["c/one.go"]);
  expect(exportingFiles("pkg", "js")).toBeUndefined();
});
