import { expect, test } from "vitest";
import { requirementOf } from "../../../server/operations/forwarded-packages.ts";
import { fixture } from "../../support/fixture.ts";

const signal = new AbortController().signal;

test("a manifest asks for a package by its name, in each form, and a keyword is no request", async () => {
  const cargo = fixture(`//- Cargo.toml
[package]
name = "pkg"
version = "1.0.0"
keywords = ["http", "web"]

[dependencies]
bytes = "1.2"
inner = { path = "inner", version = "=4.5.1" }

[dependencies.http-body]
optional = true
version = "1.0"

[target.'cfg(unix)'.dependencies.deep]
version = "0.3"

[features]
loose = ["bytes"]
`);
  const found = async (name: string, snapshot = cargo) => {
    const one = await requirementOf(name, snapshot, { signal });
    return one && `${one.name} ${one.version}`;
  };
  expect(await found("bytes")).toBe("bytes 1.2");
  expect(await found("inner")).toBe("inner =4.5.1");
  // The code writes a hyphen as a low line.
  expect(await found("http_body")).toBe("http-body 1.0");
  expect(await found("deep")).toBe("deep 0.3");
  expect(await found("http")).toBeUndefined();
  expect(await found("loose")).toBeUndefined();
  const npm = fixture(
    '//- package.json\n{ "keywords": ["deep", "web"], "dependencies": { "@scope/other": "^2.0.0" } }\n',
  );
  expect(await found("@scope/other", npm)).toBe("@scope/other ^2.0.0");
  expect(await found("deep", npm)).toBeUndefined();
});
