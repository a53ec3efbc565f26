import path from "node:path";
import { describe, expect, test } from "vitest";
import { knownResources, originsOf } from "../../../server/operations/known-resources.ts";
import { selectTargets, nameOf } from "../../../server/operations/targets.ts";
import { defaultResources } from "../../../server/protocol/default-resources.ts";
import type { ResourceSpec, Scope } from "../../../server/protocol/resource.ts";

const hono: ResourceSpec = { type: "npm", name: "hono", package: "hono" };
const places = { cwd: path.resolve("/work/app"), homeDirectory: path.resolve("/home/ann") };
const app = path.resolve("/work/app");

interface Given {
  folders?: string[];
  listed?: ResourceSpec[];
  scope?: Scope;
  asked?: string[];
}

/** The names that a request is about. */
function check({ folders = [], listed = [], scope = "project", asked = [] }: Given, expected: string[]): void {
  const resources = listed.length > 0 ? listed : defaultResources;
  const known = knownResources({ resources, listed }, { folders, scope });
  expect(selectTargets(asked, known, places).map(nameOf)).toEqual(expected);
}

describe("a request that names nothing", () => {
  test("is about the open project", () => check({ folders: [app] }, ["app"]));
  test("and what a file lists", () => check({ folders: [app], listed: [hono] }, ["app", "hono"]));
  test("is refused where no project is open and no file lists anything: the defaults must be named", () => {
    expect(() => check({}, [])).toThrow(`there is no project in ${places.cwd}, and the question names no resource`);
    check({ asked: ["zod"] }, ["zod"]);
  });
  test("is about what a file lists where no project is open", () => check({ listed: [hono] }, ["hono"]));
  test("is about several projects in their order", () =>
    check({ folders: [app, path.resolve("/work/site")] }, ["app", "site"]));
  test("is about all configured resources over HTTP", () =>
    check({ folders: [app], scope: "configured" }, ["express", "zod", "typescript"]));
});

test.each(["pkg:hex/phoenix@1.7.0", "hex:phoenix"])(
  "the package of another ecosystem, %s, is refused with what can be named instead",
  (reference) => {
    const known = knownResources({ resources: [], listed: [] }, { folders: [app], scope: "project" });
    expect(() => selectTargets([reference], known, places)).toThrow(
      expect.objectContaining({ tag: "InvalidRequest", hint: expect.stringContaining("the package's git repository") }),
    );
  },
);

describe("the name of a project", () => {
  test("is its folder's", () => check({ folders: [path.resolve("/work/My App!")] }, ["My-App-"]));
  test("differs from what a file lists", () =>
    check({ folders: [path.resolve("/work/hono")], listed: [hono] }, ["hono-project", "hono"]));
  test("hides a default of the same name", () => {
    const folders = [path.resolve("/work/zod")];
    const known = knownResources({ resources: defaultResources, listed: [] }, { folders, scope: "project" });
    expect(known.named.map((spec) => `${spec.type} ${spec.name} ${originsOf(known)(spec)}`)).toEqual([
      "local zod project",
      "npm express default",
      "git typescript default",
    ]);
  });
  test("of two folders alike", () =>
    check({ folders: [app, path.resolve("/other/app"), path.resolve("/third/app")] }, [
      "app",
      "app-project",
      "app-project-2",
    ]));
  test("is the configured one where a file lists the folder", () =>
    check({ folders: [app], listed: [{ type: "local", name: "ours", path: app }, hono] }, ["ours", "hono"]));
  test("is never empty", () => check({ folders: [path.resolve("/work/…")] }, ["project"]));
});

describe("a project can be named", () => {
  test("as workspace", () => check({ folders: [app], asked: ["workspace"] }, ["app"]));
  test("by its name beside others", () => check({ folders: [app], asked: ["zod", "app"] }, ["zod", "app"]));
  test("by its path", () => check({ folders: [app], asked: ["."] }, ["app"]));
  test("but a folder in it is itself", () => check({ folders: [app], asked: ["./src"] }, [path.join(app, "src")]));
  test("and workspace is unknown without one", () =>
    expect(() => check({ asked: ["workspace"] }, [])).toThrow('no resource named "workspace"'));
});
