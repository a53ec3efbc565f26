import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  isServed,
  packageReference,
  packageTypes,
  servedPackageTypes,
} from "../../../../server/protocol/kinds/names.ts";
import { ecosystems } from "../../../../server/resources/packages/ecosystems.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { type PackageRegistries, startPackageRegistries } from "../../../support/package-registries.ts";
import { testEngines } from "../../../support/stores.ts";
import { signedIn } from "../../../support/visitor.ts";

test("the packages that a service does not offer are those without a registry", () => {
  const without = packageTypes.filter((type) => ecosystems[type].openRegistry === undefined);
  expect(packageTypes.filter((type) => !isServed(type))).toEqual(without);
});

const textOf = ({ content }: { content: readonly { text: string }[] }) => content.map(({ text }) => text).join("\n");

describe.each(testEngines())("packages of every ecosystem on $name", (engine) => {
  let registries: PackageRegistries;
  let service: TestService;
  let key: string;
  beforeAll(async () => {
    registries = await startPackageRegistries("how otters retry");
    service = await startService(await engine.createDatabase(), { registries: registries.urls });
    key = await service.key();
    for (const { type, package: name } of registries.all) {
      await service.call(key, "addResource", { type, name: `my-${type}`, package: name });
    }
    await service.untilFetched();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await registries[Symbol.asyncDispose]();
  });

  test.each(servedPackageTypes)("%s: it is listed, searched, read, asked about and verified", async (type) => {
    const { package: name, version, file } = registries.of(type);
    const own = `my-${type}`;
    const listed = await service.call(key, "listResources");
    expect(listed.structuredContent).toMatchObject({
      resources: expect.arrayContaining([
        expect.objectContaining({ type, name: own, package: name, state: "ready", failure: null }),
      ]),
    });
    const found = textOf(await service.call(key, "search", { query: "otters", mode: "exact", resources: [own] }));
    expect(found).toContain("how otters retry");
    expect(found).toContain(version);
    const read = await service.call(key, "read", { resource: own, path: file });
    expect(textOf(read)).toContain("how otters retry");
    const answer = await service.call(key, "ask", { question: "How do otters retry?", resources: [own] });
    expect(answer.structuredContent).toMatchObject({
      resources: [own],
      citations: expect.arrayContaining([expect.objectContaining({ path: file, state: "verified" })]),
    });
    const line = type === "golang" ? 3 : 1;
    const checked = await service.call(key, "verify", { text: `See ${own}:${file}:${line}.`, resources: [own] });
    expect(checked).toMatchObject({ isError: false, structuredContent: { citations: [{ state: "verified" }] } });
    expect(JSON.stringify([found, read, answer, checked])).not.toContain(service.dataDirectory);
  });

  test.each(servedPackageTypes)("%s: a package that does not exist fails with the reason", async (type) => {
    const name = `${registries.of(type).package}-absent`;
    await service.call(key, "addResource", { type, name: `absent-${type}`, package: name });
    await service.untilFetched();
    expect(textOf(await service.call(key, "listResources"))).toMatch(
      new RegExp(`absent-${type}: .*fetch failing since .*: no package "${name}".*sync tries again`),
    );
  });

  test.each([
    [{ type: "hex", package: "phoenix" }, 'this version of the service does not know resources of the type "hex"'],
    [{ type: "gem", package: "rack" }, "gem resources are not offered here"],
    [{ type: "local", path: "/etc" }, "local resources are not offered here"],
    [{ type: "pypi", package: "a b" }, 'its settings are invalid: package: "a b": not a valid Python package name'],
  ])("a stored resource that this version cannot use is reported, and stops nothing: %j", async (spec, reason) => {
    const own = "stored";
    const insert = "insert into resource (project, name, spec) values ($1, $2, $3::jsonb)";
    await service.store.query(insert, [service.project.id, own, JSON.stringify({ ...spec, name: own })]);
    const listed = await service.call(key, "listResources");
    expect(textOf(listed)).toContain(`${own}: cannot be used: ${reason}`);
    expect(listed.structuredContent).toMatchObject({ unreadable: [{ name: own, type: spec.type, reason }] });
    const all = await service.call(key, "search", { query: "otters", mode: "exact" });
    expect(textOf(all)).toContain("how otters retry");
    for (const [tool, input] of [
      ["ask", { question: "How do otters retry?", resources: [own] }],
      ["search", { query: "otters", resources: [own] }],
      ["read", { resource: own, path: "a.js" }],
      ["sync", { resource: own }],
    ] as const) {
      const refused = await service.call(key, tool, input);
      expect([tool, textOf(refused)]).toEqual([
        tool,
        `ResourceNotOffered: "${own}" cannot be used: ${reason}\n` +
          "What to do: an admin of the project can remove the resource, or the operator updates the service",
      ]);
    }
    await service.call(key, "sync");
    await service.untilFetched();
    const { rows } = await service.store.query("select failure_tag as tag, requested_at from job where resource = $1", [
      own,
    ]);
    expect(rows).toEqual([{ tag: "ResourceNotOffered", requested_at: null }]);
    const owner = await signedIn(service);
    const page = await owner.open(`/p/${service.project.name}/resources`);
    for (const { type, package: name } of registries.all) expect(page.text).toContain(packageReference(type, name));
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringContaining(`cannot be used: ${reason.replaceAll('"', "&quot;")}`),
    ]);
    await owner.send(`/p/${service.project.name}/resources/remove`, { resource: own });
    expect(textOf(await service.call(key, "listResources"))).not.toContain(own);
  });

  test.each([
    [["localhost"], "ready", null],
    [[], "failed", "the registry sent an address of the package that is not a public one"],
  ])(
    "an address that a registry sends may be private if the operator allows the host: %j",
    async (allowHosts, state, failure) => {
      await using own = await startPackageRegistries("otters");
      for (const registry of own.all) registry.redirectArchive();
      const options = { registries: own.urls, config: { allowHosts } };
      await using other = await startService(await engine.createDatabase(), options);
      const otherKey = await other.key();
      for (const { type, package: name } of own.all) {
        await other.call(otherKey, "addResource", { type, name: type, package: name });
      }
      await other.untilFetched();
      const { structuredContent } = await other.call(otherKey, "listResources");
      expect(structuredContent).toMatchObject({
        resources: own.all.map(({ type }) => ({ type, fetch: expect.objectContaining({ state, failure }) })),
      });
    },
  );
});
