import { expect, test } from "vitest";
import { SearchPath } from "../../../server/protocol/kinds/git-fields.ts";
import { ResourceName } from "../../../server/protocol/resource-fields.ts";
import { nameFault, pathsFault, splitPaths } from "../../../extension/features/resources/validation.ts";
import { l10n } from "./listing.ts";

test("a name is refused by the rule of the protocol, and where it is taken", () => {
  const check = (name: string) => nameFault(ResourceName, name, { taken: ["zod"], l10n });
  expect(check("express")).toBeUndefined();
  expect(check("zod")).toBe("There is a resource of this name already.");
  expect(check("-x")).toMatch("A name starts with a letter or digit");
});

test("paths are separated by commas, and each is checked", () => {
  expect(splitPaths(" src, docs/ ,,src")).toEqual(["src", "docs/"]);
  expect(pathsFault(SearchPath, "src, docs")).toBeUndefined();
  expect(pathsFault(SearchPath, "src, ../up")).toBe("A search path must not contain '..'.");
});
