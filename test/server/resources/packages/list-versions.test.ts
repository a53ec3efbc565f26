import { expect, test } from "vitest";
import { cargoEcosystem } from "../../../../server/resources/packages/cargo/cargo.ts";
import type { Ecosystem } from "../../../../server/resources/packages/ecosystem.ts";
import { golangEcosystem } from "../../../../server/resources/packages/golang/golang.ts";
import { mavenEcosystem } from "../../../../server/resources/packages/maven/maven.ts";
import type { PackageLocation } from "../../../../server/resources/packages/package-location.ts";
import { pypiEcosystem } from "../../../../server/resources/packages/pypi/pypi.ts";
import { startCargoRegistry } from "../../../support/cargo-registry.ts";
import { cargoWorkspace } from "../../../support/cargo-workspace.ts";
import { startGoProxy } from "../../../support/go-proxy.ts";
import { goWorkspace } from "../../../support/go-workspace.ts";
import { startMavenRepository } from "../../../support/maven-repository.ts";
import { mavenWorkspace } from "../../../support/maven-workspace.ts";
import { startPypiIndex } from "../../../support/pypi-index.ts";
import { pypiWorkspace } from "../../../support/pypi-workspace.ts";

/** `1.0.0 2026-01-02`, the highest first. */
async function listed(ecosystem: Ecosystem, name: string, location: PackageLocation): Promise<string[] | undefined> {
  const registry = await ecosystem.openRegistry?.(name, { location, network: {} });
  const { signal } = new AbortController();
  return (await registry?.list(name, { signal }))?.map(({ version, date = "no date" }) => `${version} ${date}`);
}

test("crates have the dates of the index", async () => {
  await using registry = await startCargoRegistry();
  registry.publish({ name: "demo", version: "1.0.0", more: { pubtime: "2020-01-02T03:04:05Z" } });
  registry.publish({ name: "demo", version: "1.10.0" });
  registry.publish({ name: "demo", version: "1.9.0" });
  registry.publish({ name: "demo", version: "2.0.0", yanked: true });
  await using workspace = await cargoWorkspace({ registry });
  expect(await listed(cargoEcosystem, "demo", workspace.location)).toEqual([
    "1.10.0 no date",
    "1.9.0 no date",
    "1.0.0 2020-01-02",
  ]);
});

test("distributions have the day of their first file", async () => {
  await using index = await startPypiIndex({ format: "json" });
  index.publish({ name: "demo", version: "1.9", uploadTime: "2020-01-02T23:59:59.123456Z" });
  index.publish({ name: "demo", version: "1.9", filename: "demo-1.9.tar.gz", uploadTime: "2020-01-03T00:00:01Z" });
  index.publish({ name: "demo", version: "1.10", uploadTime: "yesterday" });
  index.publish({ name: "demo", version: "2.0", yanked: true });
  await using workspace = await pypiWorkspace({ index });
  expect(await listed(pypiEcosystem, "demo", workspace.location)).toEqual(["1.10 no date", "1.9 2020-01-02"]);
});

test("modules have the dates of the proxy", async () => {
  await using proxy = await startGoProxy();
  proxy.publish({ module: "example.org/demo", version: "v1.9.0" });
  proxy.publish({ module: "example.org/demo", version: "v1.10.0" });
  await using workspace = await goWorkspace({ proxy });
  expect(await listed(golangEcosystem, "example.org/demo", workspace.location)).toEqual([
    "v1.10.0 2026-01-02",
    "v1.9.0 2026-01-02",
  ]);
});

test("artifacts have no dates", async () => {
  await using repository = await startMavenRepository();
  for (const version of ["1.9", "1.10"]) repository.publish({ name: "org.demo:demo-core", version });
  await using workspace = await mavenWorkspace({ repository });
  expect(await listed(mavenEcosystem, "org.demo:demo-core", workspace.location)).toEqual([
    "1.10 no date",
    "1.9 no date",
  ]);
});
