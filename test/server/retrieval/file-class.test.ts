import { describe, expect, test } from "vitest";
import { classesOf, classOf, kindOf } from "../../../server/retrieval/file-class.ts";

describe("classOf", () => {
  test.each([
    ["src/retry.ts", "source"],
    ["lib/license.ts", "source"],
    ["src/history.ts", "source"],
    ["src/latest/request.js", "source"],
    ["docs/js/intro.js", "source"],
    ["src/retry.test.ts", "test"],
    ["pkg/server_test.go", "test"],
    ["tests/conftest.py", "test"],
    ["src/__tests__/a.js", "test"],
    ["lib/protocol/mocks/connection.go", "test"],
    ["mock/mock.go", "source"],
    ["src/test/java/a/GsonTest.java", "test"],
    ["README.md", "docs"],
    ["docs/guide.rst", "docs"],
    ["CHANGELOG.md", "changelog"],
    ["HISTORY", "changelog"],
    ["Pro-Changes.md", "changelog"],
    ["docs/7.0-Upgrade.md", "changelog"],
    ["website/blog/2024-11-26-3.4.0.md", "changelog"],
    ["src/blog/post.ts", "source"],
    ["docs/migration-v4.md", "changelog"],
    ["docs/7.0-API-Migration.md", "changelog"],
    ["docs/database-migration.md", "docs"],
    ["relnotes/v1.2.0.md", "changelog"],
    ["src/site/zh_CN/markdown/logging.md", "locale"],
    ["examples/basic/index.js", "example"],
    ["package.json", "config"],
    ["tsconfig.build.json", "config"],
    [".github/workflows/ci.yml", "config"],
    ["vite.config.ts", "config"],
    ["Dockerfile", "config"],
    ["docs/conf.py", "config"],
    ["noxfile.py", "config"],
    ["src/server_conf.py", "source"],
    ["data/cities.json", "data"],
    ["LICENSE", "data"],
    ["LICENSE-docs", "data"],
    ["src/license-check.ts", "source"],
    ["AGENTS.md", "guidance"],
    [".ai/guidelines.md", "guidance"],
    [".github/SECURITY.md", "guidance"],
    ["docs/ROADMAP-1.0.md", "guidance"],
    ["src/security.ts", "source"],
    ["docs/guide/agents/index.md", "docs"],
    ["App.xcodeproj/project.pbxproj", "data"],
    ["types/index.d.ts", "declaration"],
    ["src/locales/de.ts", "locale"],
    ["src/locales/en.ts", "source"],
    ["docs/ja/index.md", "locale"],
    ["website/versioned_docs/version-1.x/fetch.md", "outdated"],
    ["docs_versioned.md", "docs"],
    ["doc/README-ja.md", "locale"],
    ["README.zh-CN.md", "locale"],
    ["README_pt_BR.md", "locale"],
    ["website/docs/zh/guide.md", "locale"],
    ["README-VIM.md", "docs"],
    ["docs/no.md", "docs"],
    ["man/man1/fzf.1", "docs"],
    ["assets/manual/bat.1.in", "docs"],
    [".github/ISSUE_TEMPLATE/bug_report.md", "template"],
    [".github/ISSUE_TEMPLATE/config.yml", "template"],
    [".github/PULL_REQUEST_TEMPLATE.md", "template"],
    ["docs/issue_template.md", "template"],
    ["src/issue_template.py", "source"],
    ["assets/completions/bat.fish.in", "generated"],
    ["completions/zsh/_bat", "generated"],
    ["autocomplete/completion/_rg.ps1", "generated"],
    ["extras/httpie-completion.bash", "generated"],
    ["shell/completion.zsh", "source"],
    ["src/completions/install.ts", "source"],
    ["src/__snapshots__/a.test.ts.snap", "generated"],
    ["tests/__snapshots__/test_a.ambr", "generated"],
    ["gradle.lockfile", "generated"],
    ["static/jquery-min.js", "generated"],
    ["src/algo-min.rs", "source"],
    ["api/service_pb2_grpc.py", "generated"],
    ["src/Form.Designer.cs", "generated"],
    ["include/spdlog/fmt/bundled/core.h", "vendored"],
    ["src/3rdparty/zlib/inflate.c", "vendored"],
    ["src/deps/resolve.ts", "source"],
    ["package-lock.json", "generated"],
    ["dist/app.min.js", "generated"],
    ["api/v1/service.pb.go", "generated"],
    ["vendor/github.com/a/b.go", "vendored"],
    ["a/node_modules/b/index.js", "vendored"],
    ["test/fixtures/chart.svg", "data"],
    ["doc/en/img/flow.drawio", "data"],
    ["doc/en/example/assertion/test_failures.py", "example"],
    ["docs/examples/basic_test.go", "example"],
    ["test/example/a.test.ts", "test"],
  ])("%s is %s", (path, expected) => {
    expect(classOf(path)).toBe(expected);
  });
});

test("every kind has its class", () => {
  const paths = ["a.ts", "a.md", "a.test.ts", "package.json", "LICENSE"];
  expect(paths.map((path) => kindOf(classOf(path)))).toEqual(["code", "docs", "test", "config", "other"]);
});

describe("classesOf", () => {
  const check = (paths: readonly string[], expected: readonly string[]) => expect(classesOf(paths)).toEqual(expected);

  test("a bundle beside its sources is generated", () =>
    check(["dist/retry.js", "dist/README.md", "src/a.ts"], ["generated", "docs", "source"]));

  test("folders such as deps are vendored if they contain licences of their own", () => {
    check(
      ["deps/lua/COPYRIGHT", "deps/lua/lapi.c", "deps/linenoise/linenoise.c", "src/deps/a.c"],
      ["vendored", "vendored", "vendored", "source"],
    );
    check(["deps/resolve/index.ts", "LICENSE"], ["source", "data"]);
  });

  test("of a document in several versions, the newest is current", () => {
    check(
      ["site/latest/use.md", "site/next/use.md", "site/latest/team.md", "site/latest/a.ts", "site/next/a.ts"],
      ["outdated", "docs", "docs", "source", "source"],
    );
    check(
      ["docs/v2/a.md", "docs/v10/a.md", "docs/1.x/b.md", "docs/1.2/b.md"],
      ["outdated", "docs", "outdated", "docs"],
    );
  });

  test("a bundle is all that a package has", () => check(["dist/retry.js", "index.js"], ["source", "source"]));
});
