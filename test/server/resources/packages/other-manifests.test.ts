import path from "node:path";
import { expect, test } from "vitest";
import { findUnreadNamed } from "../../../../server/resources/packages/other-manifests.ts";
import { temporaryFolder } from "../../../support/folder.ts";

const mix = '//- mix.exs\n  defp deps do\n    [{:phoenix, "~> 1.7"}, {:ecto_sql, "~> 3.0"}, {:once, "1.0"}]\n  end\n';

async function check(files: string, text: string, cwd = "", isAnonymous = false): Promise<string[]> {
  await using folder = await temporaryFolder(`//- lib/.keep\n\n${files}`);
  const location = { cwd: path.join(folder.path, cwd), homeDirectory: folder.path, env: {}, isAnonymous };
  const found = await findUnreadNamed(text, { ...location, platform: "linux" });
  return found.map(({ name, file, what, reference }) =>
    [file, what, name, reference?.replace(folder.path, "<root>") ?? "-"].join(" | "),
  );
}

test.each([
  [mix, "How does Phoenix route?", "mix.exs | Elixir packages | phoenix | -"],
  [mix, "What is ecto-sql for?", "mix.exs | Elixir packages | ecto_sql | -"],
  [
    `${mix}//- deps/phoenix/mix.exs\n\n`,
    "What is phoenix?",
    "mix.exs | Elixir packages | phoenix | <root>/deps/phoenix",
  ],
  [
    "//- pubspec.yaml\nname: app\ndependencies:\n  flutter:\n    sdk: flutter\n  dio: ^5.0.0\ndev_dependencies:\n  mocktail: any\n",
    "How does dio retry?",
    "pubspec.yaml | Dart packages | dio | -",
  ],
  [
    '//- Package.swift\n.package(url: "https://github.com/apple/swift-nio.git", from: "2.0.0"),\n',
    "How does swift-nio accept?",
    "Package.swift | Swift packages | swift-nio | https://github.com/apple/swift-nio",
  ],
  ['//- Gemfile\ngem "rack", "~> 3"\n', "What is rack?", "Gemfile | Ruby gems without a Gemfile.lock | rack | -"],
  [
    '//- deno.json\n{"imports":{"@std/path":"jsr:@std/path@1"}}\n',
    "What is @std/path?",
    "deno.json | Deno's packages | @std/path | -",
  ],
])("a dependency that no ecosystem reads is found: %#", async (files, text, expected) => {
  expect(await check(files, text, "lib")).toEqual([expected]);
});

test.each([
  [mix, "How is a request routed?"],
  [mix, "Is it called once?"],
  ['//- Gemfile\ngem "rack"\n//- Gemfile.lock\nDEPENDENCIES\n  rack\n', "What is rack?"],
  ["//- pubspec.yaml\nname: app\nflutter:\n  assets: []\n", "What are the assets?"],
  ["//- pubspec.yaml\n: [\n", "What is dio?"],
  ["//- deno.json\n[]\n", "What is dio?"],
])("nothing is said where the question is not about one: %#", async (files, text) => {
  expect(await check(files, text)).toEqual([]);
});

test("a plain word counts in backticks, and the manifests of tenants are not read", async () => {
  expect(await check(mix, "What is `once`?")).toEqual(["mix.exs | Elixir packages | once | -"]);
  expect(await check(mix, "What is phoenix?", "", true)).toEqual([]);
});
