import { describe, expect, test } from "vitest";
import { findDefinitions, findDefinitionsWithin } from "../../../server/source/definitions.ts";

/** Each definition as `name startLine-endLine`, with the line that names it where a comment stands above. */
function check(path: string, text: string, expected: string[]): void {
  const found = findDefinitions(path, text.trimStart().split("\n"));
  const printed = found.map(({ name, line, startLine, endLine }) => {
    return `${name} ${startLine}-${endLine}${line === startLine ? "" : ` at ${line}`}`;
  });
  expect(printed).toEqual(expected);
}

describe("scripts", () => {
  test("functions, classes with their methods, types and constants", () => {
    check(
      "a.ts",
      `
export async function read(path: string): Promise<string> {
  return path;
}
export class Store<T> extends Base {
  #size = 0;
  constructor() {
    super();
  }
  async get(key: string): Promise<T> {
    return load(key);
  }
}
interface Options { a: 1 }
export type Name = string;
export const limit = 5;
const add = (a: number) => a + limit;
`,
      [
        "read 1-3",
        "Store 4-12",
        "constructor 6-8",
        "get 9-11",
        "Options 13-13",
        "Name 14-14",
        "limit 15-15",
        "add 16-16",
      ],
    );
  });

  test("signatures over several lines, but not similar calls", () => {
    check(
      "a.ts",
      `
export function open(
  path: string,
): void {
  close();
}
class A {
  call(
    one: string,
  ): void {
    other(
      one,
    );
  }
}
test("works", () => {
  if (one) {
    two();
  }
});
`,
      ["open 1-5", "A 6-14", "call 7-13"],
    );
  });

  test("assigned members, as in older code", () => {
    check(
      "lib/app.js",
      `
/**
 * Adds a handler.
 */
app.use = function use(fn) {
  return this;
};
Layer.prototype.match = function match(path) {
  return true;
};
var slice = require('slice');
`,
      ["use 1-6 at 4", "match 7-9"],
    );
  });
});

describe("other languages", () => {
  test("Python: decorators belong to a function, its body ends with the indentation", () => {
    check(
      "a.py",
      `
LIMIT = 3

@cached
async def read(
    path,
) -> str:
    # comment

    return path

class Store:
    def get(self):
        pass
`,
      ["LIMIT 1-1", "read 3-9 at 4", "Store 11-13", "get 12-13"],
    );
  });

  test("code that is commented out and text within a string end no definition", () => {
    check("a.py", "\nclass A:\n    def b(self):\n        pass\n#   c()\n    def d(self):\n        pass\nx = 1\n", [
      "A 1-6",
      "b 2-3",
      "d 5-6",
      "x 7-7",
    ]);
    check("a.py", '\ndef a():\n    """\nNotes\n-----\n    """\n    return 1\n', ["a 1-6"]);
    check("a.py", "\ndef a():\n    '''\n    Notes.\n    '''\n", ["a 1-4"]);
    check("a.ts", "\nexport interface A<\n  B,\n// why B\n> {\n  c: B;\n}\n", ["A 1-6"]);
    check("A.java", "\nclass A {\n    void b() {\n//      c();\n        d();\n    }\n}\n", ["A 1-6", "b 2-5"]);
  });

  test("Go, types of a group, and neither fields nor statements", () => {
    check(
      "a.go",
      `
type (
	// Store keeps pages.
	Store struct {
		addr string
	}
	List[T any] []T
	Reader = other.Reader
)

type Plain struct {
	addr string
}

func run() {
	x := 1
	total int
}
`,
      ["Store 2-5 at 3", "List 6-6", "Reader 7-7", "Plain 10-12", "run 14-17"],
    );
  });

  test("Python, of lines that begin within a docstring", () => {
    const lines = 'that goes on.\n"""\n\nclass Yes:\n    """A class."""\n'.split("\n");
    expect(findDefinitionsWithin("a.py", lines)).toEqual([{ name: "Yes", line: 4, startLine: 4, endLine: 5 }]);
    const outside = 'class Yes:\n    """A class.\n\n    Text.\n'.split("\n");
    expect(findDefinitionsWithin("a.py", outside)).toMatchObject([{ name: "Yes", line: 1 }]);
  });

  test("Go, with receivers and labels", () => {
    check(
      "a.go",
      `
// Serve answers.
func (s *Server) Serve(l net.Listener) error {
retry:
	for {
		continue retry
	}
	return nil
}

type Server struct {
	addr string
}
`,
      ["Serve 1-8 at 2", "Server 10-12"],
    );
  });

  test("Rust, with attributes and implementations", () => {
    check(
      "a.rs",
      `
#[derive(Debug)]
pub struct Parser<'a> {
    text: &'a str,
}
impl<'a> fmt::Display for Parser<'a> {
    pub(crate) fn parse(&self) -> Self
    where
        Self: Sized,
    {
        self
    }
}
`,
      ["Parser 1-4 at 2", "Parser 5-12", "parse 6-11"],
    );
  });

  test("C: a brace on its own line, macros, no prototypes and no calls", () => {
    check(
      "a.c",
      `
#define LIMIT 3
#define CHECK(x) \\
  assert(x)
int uv_close(uv_handle_t* handle);
static int uv__read(uv_stream_t* stream,
                    int count)
{
  if (count) {
    uv_close(stream);
  }
#ifdef _WIN32
  return 1;
#endif
error:
  return 0;
}
`,
      ["LIMIT 1-1", "CHECK 2-3", "uv__read 5-16"],
    );
  });

  test("Java: annotated methods, no statements", () => {
    check(
      "A.java",
      `
public final class Gson {
  private int size;
  @Override
  public <T> T fromJson(String json, Class<T> type) throws IOException {
    return new Reader(json).read();
  }
  Gson(int size) {
    this.size = size;
  }
}
`,
      ["Gson 1-10", "fromJson 3-6 at 4"],
    );
  });

  test("Ruby and shell", () => {
    check("a.rb", "class A\n  def self.b?(c)\n    c\n  end\nend\n", ["A 1-5", "b? 2-4"]);
    check("a.sh", "build() {\n  make\n}\n", ["build 1-3"]);
  });
});

describe("documents", () => {
  test("Markdown: a section runs to the next heading of its level; fences hold no headings", () => {
    check(
      "README.md",
      `
# Title
text
## Use
\`\`\`sh
# comment
\`\`\`

## Licence
MIT
`,
      ["Title 1-9", "Use 3-6", "Licence 8-9"],
    );
  });

  test("Markdown: underlined headings, not front matter, lists, tables, or text with a rule below it", () => {
    check(
      "README.md",
      `
---
title: Front
---

Title
=====

Some text
that goes on.
---

- one
---

| a | b |
--|--

Use
---
\`\`\`

a
==
\`\`\`

### Sub

End
====
text
`,
      ["Title 5-26", "Use 18-26", "Sub 26-26", "End 28-30"],
    );
  });

  test("reStructuredText: levels follow the order of underlines", () => {
    check("index.rst", "Title\n=====\n\nUse\n---\ntext\n\nMore\n====\n", ["Title 1-6", "Use 4-6", "More 8-9"]);
  });
});

test("unknown languages and empty files have no definitions", () => {
  check("data.bin", "function a() {}\n", []);
  check("a.ts", "", []);
});

test("skips lines of minified code", () => {
  check("a.js", `function a() {}\n${"function b(){}".repeat(100)}\n`, ["a 1-1"]);
});

test.each([
  ["a.toml", `[${" ".repeat(390)}x`],
  ["a.md", `# a${" ".repeat(390)}x`],
  ["a.md", `# ${"#".repeat(390)}x`],
  ["a.ts", `const a${"$a".repeat(190)}`],
  ["a.c", `a${" a".repeat(190)}`],
  ["a.java", `  a${"<a ".repeat(120)}`],
])("a megabyte of lines made to be slow takes no minute: %s", (path, line) => {
  const lines = Array.from({ length: 2500 }, () => line);
  expect(findDefinitions(path, lines).length).toBeLessThanOrEqual(lines.length);
});

test("treats a heading of many thousand characters as data", () => {
  check("a.md", `# Begin\n# ${"word ".repeat(100_000)}\n`, ["Begin 1-2"]);
  check("a.rst", `${"word ".repeat(100_000)}\n====\nEnd\n===\n`, ["End 3-4"]);
});

test("C and C++: types behind macros, methods in classes, aliases and constants, each by its whole name", () => {
  check(
    "include/queue.h",
    `
namespace demo {
// What to do when it is full.
enum class overflow_policy : int {
    block,
};
static const size_t default_size = 8192;
using queue_ptr = std::shared_ptr<queue>;
typedef unsigned long word;
class EXPORTED [[nodiscard]] queue final : public base {
public:
    explicit queue(size_t size)
        : size_(size) {}
    size_t size() const { return size_; }
    virtual void stop() = 0;
    template <typename T>
    bool push(T &&item) {
        if (is_full()) {
            return wait_for(item, 1);
        } else if (a) {
        }
        for (auto &one : items_) {
        }
        try {
        } catch (const error &e) {
        }
        LOOP (a) {
        }
        std::sort(begin, end, [](int a) {
        });
        return other(a, [] {
        });
    }
};
struct __attribute__((aligned(8))) cell { int a; };
template <> constexpr int limits<double>::lowest() {
    return 1;
}
}
`,
    [
      "demo 1-1",
      "overflow_policy 2-5 at 3",
      "default_size 6-6",
      "queue_ptr 7-7",
      "word 8-8",
      "queue 9-33",
      "queue 11-12",
      "size 13-13",
      "push 16-32",
      "cell 34-34",
      "lowest 35-37",
    ],
  );
});

test("C: a name alone on its line, and the macro that makes a test, are whole", () => {
  check(
    "strl.c",
    `
size_t
demo_strlcat(char *dst)
{
  return 0;
}
TEST_CASE("works", "[a]") {
  demo_strlcat(b);
}
int A::size() { return 1; }
`,
    ["demo_strlcat 2-5", "TEST_CASE 6-8", "A::size 9-9"],
  );
});

test("methods on one line in Java and C#", () => {
  check(
    "A.java",
    `
class A {
    private final int size = 1;
    public int size() { return size; }
    A(int size) { this.size = size; }
    void stop();
    public static A make(int size) { return new A(size); }
}
`,
    ["A 1-7", "size 3-3", "make 6-6"],
  );
});

test.each([
  [
    "a.js",
    "const a = `\nfunction no() {}\n${b(`\nclass No {}\n`)}\nclass No {}\n`;\nfunction yes() {}\n",
    ["a", "yes"],
  ],
  [
    "a.ts",
    "// a ` in a comment\nconst a = /[`/]/;\nfunction yes() {}\nconst b = '`';\nclass Yes {}\n",
    ["a", "yes", "b", "Yes"],
  ],
  ["a.py", "a = \"\"\"\ndef no():\n\"\"\"\n# '''\ndef yes():\n    r'''\nclass No:\n'''\n", ["a", "yes"]],
  ["a.go", "var a = `\nfunc no() {}\n`\nfunc yes() {}\n", ["a", "yes"]],
  ["a.rs", 'const A: &str = r##"\nfn no() {}\n"#\n"##;\nfn yes() {}\n', ["A", "yes"]],
  ["a.cc", 'const char* a = R"x(\nstruct no {\n)" )x";\nstruct yes {\n};\n', ["a", "yes"]],
  ["A.java", 'class A {\n  String a = """\n    class No {}\n    """;\n  class Yes {}\n}\n', ["A", "Yes"]],
  ["a.kt", 'val a = """\nfun no() {}\n"""\nfun yes() {}\n', ["yes"]],
  ["a.swift", 'let a = """\nfunc no() {}\n"""\nfunc yes() {}\n', ["yes"]],
  ["a.scala", 'val a = """\nclass No\n"""\nclass Yes\n', ["Yes"]],
  ["a.dart", "var a = '''\nclass No {}\n''';\nclass Yes {}\n", ["Yes"]],
  ["a.groovy", 'def a = """\nclass No {}\n"""\nclass Yes {}\n', ["a", "Yes"]],
  [
    "a.cs",
    'class A {\n  string a = @"\nclass No { ""\nclass No { }";\n  string b = """\nclass No\n""";\n  class Yes {}\n}\n',
    ["A", "Yes"],
  ],
  ["a.graphql", '"""\ntype No\n"""\ntype Yes {\n}\n', ["Yes"]],
  ["a.php", "<?php\n$a = <<<EOT\nclass No {}\nEOT;\nclass Yes {}\n", ["Yes"]],
  ["a.rb", "a = <<~EOT\n  def no\n  EOT\ndef yes\nend\n", ["yes"]],
  ["a.cr", "a = <<-EOT\n  def no\n  EOT\ndef yes\nend\n", ["yes"]],
  ["a.ex", 'a = """\ndef no\n"""\ndef yes do\nend\n', ["yes"]],
  ["a.sh", "cat <<'EOT'\nno() {\nEOT\nyes() {\n  :\n}\n", ["yes"]],
  ["a.ps1", '$a = @"\nfunction No {\n"@\nfunction Yes {\n}\n', ["Yes"]],
  ["a.lua", "a = [==[\nfunction no()\n]] ]==]\nfunction yes()\nend\n", ["yes"]],
  ["a.jl", 'a = """\nfunction no()\n"""\nfunction yes()\nend\n', ["yes"]],
  ["a.toml", 'a = """\n[no]\n"""\n[yes]\n', ["yes"]],
  ["a.sql", "create function a() as $x$\ncreate table no (a int);\n$x$;\ncreate table yes (a int);\n", ["a", "yes"]],
  ["a.zig", "const a =\n    \\\\fn no() void {}\n;\nfn yes() void {}\n", ["a", "yes"]],
])("the text of a string over several lines defines nothing: %s", (path, text, expected) => {
  expect(findDefinitions(path, text.split("\n")).map(({ name }) => name)).toEqual(expected);
});

test.each([
  ["a.js", "const a = `"],
  ["a.rb", "a = <<~EOT"],
  ["a.py", 'a = """'],
  ["a.cs", 'var a = @"'],
])("a string without an end hides nothing, and takes no minute: %s", (path, line) => {
  const lines = [line, ...Array.from({ length: 20_000 }, () => "class Yes {")].map((text) =>
    text.replace("{", path.endsWith("y") ? ":" : "{"),
  );
  expect(findDefinitions(path, lines).length).toBeGreaterThanOrEqual(20_000);
});
