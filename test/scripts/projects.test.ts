import { expect, test } from "vitest";
import { needs, projects, testFiles } from "../support/projects.mjs";

const files = testFiles();

test("every kind of tests for which something is installed has a file", () => {
  expect(Object.entries(needs).filter(([, kind]) => !files.some(({ file }) => kind.test(file)))).toEqual([]);
});

test("every project has files, and what drives a browser is of the browser's", () => {
  expect(projects.filter((name) => !files.some(({ project }) => project === name))).toEqual([]);
  const drivers = files.filter(({ file }) => /(?:^|[/-])browser\.test\.ts$/.test(file));
  expect(drivers.length).toBeGreaterThan(0);
  expect(drivers.filter(({ project }) => project !== "browser")).toEqual([]);
});
