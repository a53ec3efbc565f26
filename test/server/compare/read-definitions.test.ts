import { expect, test } from "vitest";
import { readDefinitions } from "../../../server/compare/read-definitions.ts";

/** Each definition with `+` if it is public: name, signature, body. */
function check(path: string, text: string): string[] {
  return [...readDefinitions(path, text.split("\n")).values()]
    .flat()
    .map(({ name, signature, body, isPublic }) => `${isPublic ? "+" : "-"} ${name} | ${signature} | ${body}`);
}

test("JavaScript: what is put on objects has their name; what is within functions is not listed", () => {
  const text = `
var slice = [].slice;
res.send = function send(body) {
  const later = () => 1;
  return this.end(body); // now
};
View.prototype.render = function render (options, callback) { return 1; };
exports.etag = (body) => body;
app.del = deprecate(app.delete);
module.exports = View;
function View(name) {
}
`;
  expect(check("lib/response.js", text)).toEqual([
    "- slice | var slice | =[].slice;",
    "+ res.send | res.send=function send(body) | {constlater=()=>1;returnthis.end(body);};",
    "+ View.render | View.prototype.render=function render(options,callback) | {return1;};",
    "+ etag | exports.etag=(body) | =>body;",
    "+ View | function View(name) | {}",
    "+ app.del |  | ",
  ]);
});

test("TypeScript: members are listed on their own, types with their parameters, lists of exports by name", () => {
  const text = `
export class Command<T = string> extends Base {
  limit = 3;
  parse(
    args: string[],
  ): T {
    return args;
  }
  private reset() {
    this.limit = 0;
  }
  #own() {
  }
}
interface Options<T extends object = {}> { a: T }
export { Options, inner as outer } from "./options";
export type Name<T> = T extends string ? T : never;
`;
  expect(check("src/command.ts", text)).toEqual([
    "+ Command | class Command<T=string>extends Base | {limit=3;}",
    "+ Command.parse | parse(args:string[]):T | {returnargs;}",
    "- Command.reset | private reset() | {this.limit=0;}",
    "- Command.#own | #own() | {}",
    "+ Options | interface Options<T extends object={}> | {a:T}",
    "+ Name | type Name<T> | =Textendsstring?T:never;",
    "+ outer |  | ",
  ]);
});

test("declarations of a module are public only if they are exported", () => {
  expect(check("lib/a.d.ts", "declare type Inner = 1;\nexport declare type Outer = Inner;\n")).toEqual([
    "- Inner | type Inner | =1;",
    "+ Outer | type Outer | =Inner;",
  ]);
  expect(check("globals.d.ts", "declare type Inner = 1;\n")).toEqual(["+ Inner | type Inner | =1;"]);
});

test("Python: a signature has its types and defaults; names with an underscore are internal", () => {
  const text = `
from .core import Group as Group, run
LIMIT = 3
def echo(
    message: str = "a: b",  # what
    *, err: bool = False,
) -> None:
    # says it
    print(message)
class Command(Base):
    def main(self): pass
    def _reset(self):
        def inner(): pass
`;
  expect(check("click/core.py", text)).toEqual([
    "+ LIMIT | LIMIT | =3",
    '+ echo | def echo(message:str="a:b",*,err:bool=False)->None | :print(message)',
    "+ Command | class Command(Base) | :",
    "+ Command.main | def main(self) | :pass",
    "- Command._reset | def _reset(self) | :definner():pass",
  ]);
  expect(check("click/__init__.py", text.slice(0, 45))).toEqual(["+ Group |  | ", "+ run |  | "]);
});

test("Go, Rust and Java: receivers, impls, and what their words say of visibility", () => {
  expect(check("gin.go", "func (c *Context) JSON(code int, obj any) {\n\tc.Render()\n}\nfunc helper() {\n}\n")).toEqual(
    ["+ Context.JSON | func(c*Context)JSON(code int,obj any) | {c.Render()}", "- helper | func helper() | {}"],
  );
  const rust =
    "pub struct Arg<'a> {\n}\nimpl<'a> Arg<'a> {\n    pub fn new(name: &'a str) -> Self {\n    }\n    fn own() {\n    }\n}\n";
  expect(check("src/arg.rs", rust).map((line) => line.split(" | ")[0])).toEqual([
    "+ Arg",
    "+ Arg",
    "+ Arg.new",
    "- Arg.own",
  ]);
  const java = "public class Gson {\n  public String toJson(Object src) {\n  }\n  private void check() {\n  }\n}\n";
  expect(check("Gson.java", java).map((line) => line.split(" | ")[0])).toEqual([
    "+ Gson",
    "+ Gson.toJson",
    "- Gson.check",
  ]);
});

test("a file without definitions has none", () => {
  expect(check("README.md", "# One\n")).toEqual([]);
  expect(check("data.json", "{}")).toEqual([]);
});
