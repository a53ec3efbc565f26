import { expect, test } from "vitest";
import { findUses } from "../../../server/upgrade/find-uses.ts";

/** `line owner.name form` for each use that is connected with the package `pkg`. */
async function usesIn(path: string, text: string): Promise<string[]> {
  const uses = await findUses(path, text.split("\n"), async ({ module }) => /^pkg\b/.test(module));
  return uses
    .filter(({ form }) => form !== "other")
    .map(({ line, owner, name, form }) => `${line} ${owner === undefined ? "" : `${owner}.`}${name} ${form}`);
}

test("a file that does not import the package has no uses", async () => {
  expect(await usesIn("a.ts", 'import { one } from "other";\none.two({ three: 3 });\n')).toEqual([]);
});

test("members, of what is made of what is imported, and of what is passed to it", async () => {
  const text = `const pkg = require("pkg");
const app = pkg();
app.del("/", (req, res) => {
  req.param("id");
});
// app.gone() in a comment
const other = make();
other.thing();
unknown.thing(...spread);
pkg
  .chain()
  .link();
`;
  expect(await usesIn("a.js", text)).toEqual([
    "1 pkg import",
    "2 pkg import",
    "3 app.del derived",
    "4 req.param derived",
    "11 chain derived",
    "12 link derived",
  ]);
});

test("classes that are based on it, annotated variables, and what both set", async () => {
  const text = `from pkg import Base, Field


class User(Base):
    name = Field(..., pattern="a")

    class Config:
        frozen = True


def load(user: User):
    local = 1
    return user.dump(local)
`;
  expect(await usesIn("a.py", text)).toEqual([
    "1 Base import",
    "1 Field import",
    "4 Base import",
    "5 User.name option",
    "5 Field import",
    "5 Field.pattern option",
    "8 Config.frozen option",
    "13 user.dump derived",
  ]);
});

test("what the owner of a member may be is the class that its line names, or the function that returned it", async () => {
  const typesIn = async (path: string, text: string) => {
    const uses = await findUses(path, text.split("\n"), async ({ module }) => /^pkg\b/.test(module));
    return uses
      .filter(({ types }) => types.length > 0)
      .map(({ owner, name, types }) => `${owner}.${name}: ${types.join()}`);
  };
  const python = "import pkg\n\ntable = pkg.read(1)\ntable = table.fill(2)\ntable.save(size=3)\n";
  expect(await typesIn("a.py", python)).toEqual(["table.fill: read", "table.save: read", "save.size: read"]);
  expect(await typesIn("a.js", 'import { Pool } from "pkg";\nconst pool = new Pool();\npool.end();\n')).toEqual([
    "pool.end: Pool",
  ]);
  expect(await typesIn("A.java", "import pkg.Pool;\nPool pool = make();\npool.end();\n")).toEqual(["pool.end: Pool"]);
  const rust = "use pkg::Client;\nfn run() {\n    let client = Client::new();\n    client.get();\n}\n";
  expect(await typesIn("a.rs", rust)).toEqual(["client.get: Client"]);
});

test("members of what every program has, and keys deep in the data of a call, are no uses", async () => {
  const text = `import { make } from "pkg";
make({ schema: { kind: { deep: 1 } } });
console.log(make);
`;
  const uses = await findUses("a.js", text.split("\n"), async () => true);
  expect(uses.map(({ name }) => name)).toEqual(["make", "make", "schema", "kind", "make"]);
});

test("keys of a call over several lines, but not those of the project's own calls", async () => {
  const text = `import { make } from "pkg";
make({
  title: "a",
});
own({
  title: "b",
});
`;
  expect(await usesIn("a.ts", text)).toEqual(["1 make import", "2 make import", "3 make.title option"]);
});

test("paths of Rust without an import, and types beside names in Go", async () => {
  expect(await usesIn("a.rs", "fn main() {\n    pkg::run(1);\n}\n")).toEqual(["2 pkg import", "2 pkg.run member"]);
  const text = ["use pkg::a;", "fn main() {", "    a::b::run(a::Kind::new());", "}"];
  const inside = await findUses("a.rs", text, async ({ module }) => module === "pkg");
  expect(inside.filter(({ line }) => line > 1).map((use) => `${use.module} ${use.ownerIs} ${use.name}`)).toEqual([
    "pkg::a::b undefined run",
    "pkg::a undefined Kind",
    "pkg::a Kind new",
  ]);
  const go = 'import "pkg"\n\nfunc run(cmd *pkg.Command) {\n\tcmd.Old()\n}\n';
  expect(await usesIn("a.go", go)).toEqual(["1 pkg import", "3 pkg.Command member", "4 cmd.Old derived"]);
});

test("what every module of Node has is not the package's", async () => {
  const found = await findUses("a.js", ['const pkg = require("pkg");', "module.exports = pkg.one;"], async () => true);
  expect(found.map(({ name }) => name)).toEqual(["pkg", "one"]);
});

test("attributes of an element are options of the component, and its end is no use of it", async () => {
  const text = `import { Route } from "pkg";
const page = (
  <Route
    exact
    path="/"
    render={(props) => <Own wide name="a" {...props} />}
  >
    text exact
  </Route>
);
`;
  expect(await usesIn("a.jsx", text)).toEqual([
    "1 Route import",
    "3 Route import",
    "4 Route.exact option",
    "5 Route.path option",
    "6 Route.render option",
  ]);
  const rust = "use pkg::Route;\nfn run() {\n    if one <Route && kept {}\n}\n";
  expect(await usesIn("a.rs", rust)).toEqual(["1 Route import", "3 Route import"]);
});

test("what a module of another package has is not the package's", async () => {
  const go = 'package main\n\nimport (\n\t"errors"\n\t"pkg"\n)\n\nfunc run() {\n\terrors.New("a")\n\tpkg.Run()\n}\n';
  const uses = await findUses("a.go", go.split("\n"), async ({ module }) => module === "pkg");
  expect(uses.map(({ name }) => name)).toEqual(["pkg", "Run"]);
  // What the project makes may be the package's.
  const own = 'import { make } from "pkg";\nimport app from "./app";\nmake(app.size);\n';
  const found = await findUses("a.js", own.split("\n"), async ({ module }) => module === "pkg");
  expect(found.map(({ name }) => name)).toEqual(["make", "make", "size"]);
});
