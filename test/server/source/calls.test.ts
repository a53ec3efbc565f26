import { expect, test } from "vitest";
import { callTest, declarationTest } from "../../../server/source/calls.ts";
import { findDefinitions } from "../../../server/source/definitions.ts";

function check(path: string, text: string, expected: string[]): void {
  expect(findDefinitions(path, text.trimStart().split("\n")).map(({ name }) => name)).toEqual(expected);
}

/** For each language a definition of `update`, and calls of `call` over several lines, which define nothing. */
const rows: [path: string, text: string, expected: string[]][] = [
  ["a.ts", "function update(\n  a: A,\n): B {\n  call(\n    a,\n    { b: 1 },\n  )\n  if (a) {\n  }\n}", ["update"]],
  [
    "a.ts",
    "class A {\n  update(\n    a: A,\n  ): Promise<\n    B\n  > {\n    call(\n      this,\n      a,\n    )\n\n    for (const b of a) {\n    }\n  }\n}",
    ["A", "update"],
  ],
  [
    "a.ts",
    "class A {\n  update(a: A) {\n    call(\n      a,\n      '(',\n    )\n    const x = {\n    }\n    call(\n      a,\n    ).then(() => {\n    })\n    call(\n      (b) => {\n        b\n      },\n    )\n  }\n}",
    ["A", "update"],
  ],
  ["a.ts", "class A {\n  update(a: A)\n  {\n    call(\n      a,\n    ) ? {\n    } : 1\n  }\n}", ["A"]],
  [
    "a.jsx",
    "class A {\n  update(\n    a,\n    b = call(1),\n  ) {\n    call(\n      a,\n    )\n    switch (a) {\n    }\n  }\n}",
    ["A", "update"],
  ],
  ["a.vue", "export default {\n  update(a) {\n    call(\n      a,\n    )\n    while (a) {\n    }\n  },\n}", ["update"]],
  ["a.py", "def update(\n    a,\n):\n    call(\n        a,\n    )\n    if a:\n        pass", ["update"]],
  ["a.go", "func update(\n\ta A,\n) error {\n\tcall(\n\t\ta,\n\t)\n\tif a {\n\t}\n}", ["update"]],
  ["a.rs", "fn update(\n    a: A,\n) -> B {\n    call(\n        a,\n    );\n    if a {\n    }\n}", ["update"]],
  ["a.c", "int update(\n    int a)\n{\n  call(\n      a);\n  if (a) {\n  }\n}", ["update"]],
  ["a.c", "CALL(update)\nstatic int next(void)\n{\n}\nEXPORT(\n  a\n)\nstruct b {\n};", ["next", "b"]],
  [
    "a.cpp",
    "A::A(int a)\n    : a_(a)\n{\n}\nint update(int a) const noexcept {\n  call(\n      a);\n}\nauto next(int a)\n    -> int {\n}",
    ["A::A", "update", "next"],
  ],
  [
    "a.java",
    "class A {\n    void update(\n            int a) throws B {\n        call(\n                a);\n        return call(\n                a);\n    }\n}",
    ["A", "update"],
  ],
  [
    "a.kt",
    "class A {\n    fun update(\n        a: Int,\n    ): Int {\n        call(\n            a,\n        )\n        a to call(\n            a,\n        )\n        if (a) {\n        }\n    }\n}",
    ["A", "update"],
  ],
  [
    "a.cs",
    "class A {\n    void Update(\n        int a)\n    {\n        Call(\n            a);\n        await Call(\n            a);\n        x is Call(\n            a);\n    }\n}",
    ["A", "Update"],
  ],
  [
    "a.swift",
    "class A {\n    func update(\n        a: Int\n    ) -> Int {\n        call(\n            a\n        )\n        guard call(\n            a\n        ) else {\n        }\n    }\n}",
    ["A", "update"],
  ],
  ["a.scala", "class A {\n  def update(\n    a: Int\n  ): Int = {\n    call(\n      a\n    )\n  }\n}", ["A", "update"]],
  [
    "a.php",
    "class A {\n    public function update(\n        $a\n    ) {\n        call(\n            $a\n        );\n        echo call(\n            $a\n        );\n        print call(\n            $a\n        );\n    }\n}",
    ["A", "update"],
  ],
  [
    "a.dart",
    "class A {\n  Widget update(\n    int a,\n  ) {\n    call(\n      a,\n    );\n    return const Call(\n      a,\n    );\n    f(\n      const Call(\n        a,\n      ),\n    );\n  }\n}",
    ["A", "update"],
  ],
  [
    "a.groovy",
    "class A {\n    def update(\n        a\n    ) {\n        call(\n            a\n        )\n        if (a) {\n        }\n    }\n}",
    ["A", "update"],
  ],
  ["a.rb", "def update(\n  a\n)\n  call(\n    a\n  )\n  if a\n  end\nend", ["update"]],
  ["a.ex", "defmodule A do\n  def update(\n    a\n  ) do\n    call(\n      a\n    )\n  end\nend", ["A", "update"]],
  ["a.sh", "update() {\n  call \\\n    a\n  if a; then\n  fi\n}", ["update"]],
  ["a.lua", "function update(\n  a\n)\n  call(\n    a\n  )\n  if a then\n  end\nend", ["update"]],
  ["a.jl", "function update(\n    a\n)\n    call(\n        a\n    )\nend", ["update"]],
  ["a.sql", "create function update_all(\n  a int\n) as $$\nselect call(\n  a\n);\n$$;", ["update_all"]],
];

test.each(rows)("%s: a call over several lines is no definition: %j", (path, text, expected) => {
  check(path, text, expected);
});

test.each<[path: string, calls: string[], declarations: string[], others: string[]]>([
  [
    "a.cpp",
    [
      "f(1);",
      "  a->f(1)",
      "  return f(1);",
      "x = f(1);",
      "  a && f(1)",
      "  a * f(1)",
      "  A::B::f(1);",
      "  b, f(1),",
      "case 1: f(1);",
      "else f(2);",
      "f<int>(2);",
      "inline void g() { f(1); }",
    ],
    [
      "void f(int a);",
      "EXPORTED void f(level l);",
      "  virtual void f(int) = 0;",
      "static const char *f(void);",
      "T &&f();",
      "std::vector<int, A<b>> f(x);",
      "void A::f(int a) { g(); }",
    ],
    ["// f(1)", " * f(1)", 'puts("f(1)");', "auto x = std::make<f>(1);", "/* f(1) */ g();"],
  ],
  [
    "A.java",
    ["  f(1);", "  return f(1);", "  x.f(1);", "  new f(1);"],
    ["  void f(int a);", "  @Override public void f(int a) {", "  List<String> f();", "  int[] f();"],
    ['  log("f()");'],
  ],
  ["a.py", ["  f(1)", "  await f(1)", 'x = "a" + f(2)'], [], ["# f(1)", '"f(1)"', "f = 1", "g(1)  # f(2)"]],
  ["a.rs", ["f(1)", "f!(1)", "f::<A>(1)", "let a: &'a str = f('x');"], [], ["// f(1)"]],
  ["a.ts", ["f?.(1)", "await f<A>(1)", "`${f(1)}`"], [], ["'f(1)'", "/** f(1) */"]],
  ["a.md", ["Call `f(1)`.", "# f(1)"], [], ["Use f."]],
])("in %s, calls are told from declarations, comments and strings", (path, calls, declarations, others) => {
  const lines = [...calls, ...declarations, ...others];
  expect(lines.filter(callTest(path, "f"))).toEqual(calls);
  expect(lines.filter(declarationTest(path, "f"))).toEqual(declarations);
});
