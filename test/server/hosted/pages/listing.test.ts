import type { ParsedQs } from "qs";
import { expect, test } from "vitest";
import { toMarkup } from "../../../../server/hosted/pages/html.ts";
import {
  asRead,
  byGreatest,
  byText,
  listForm,
  listLinks,
  listRows,
  type Orders,
  shownBy,
} from "../../../../server/hosted/pages/listing.ts";

interface Row {
  name: string;
  size: number | null;
}
const orders: Orders<Row> = {
  read: asRead("As read"),
  name: { label: "Name", compare: byText(({ name }) => name) },
  size: { label: "Size", compare: byGreatest(({ size }) => size) },
};
const rows: Row[] = [
  { name: "walrus", size: null },
  { name: "Sea otter", size: 7 },
  { name: "river otter", size: 12 },
];
const list = (query: ParsedQs, all = rows) =>
  listRows(all, { shown: shownBy({ query }), textOf: ({ name }) => name, orders });
const namesOf = (query: ParsedQs) => list(query).rows.map(({ name }) => name);

test.each([
  [{}, ["walrus", "Sea otter", "river otter"]],
  [{ sort: "name" }, ["river otter", "Sea otter", "walrus"]],
  [{ sort: "size" }, ["river otter", "Sea otter", "walrus"]],
  [{ q: "OTTER", sort: "size" }, ["river otter", "Sea otter"]],
  [{ q: "otter sea" }, ["Sea otter"]],
  [{ q: "seal" }, []],
  [{ sort: "constructor", page: "x", q: ["a", "b"] }, ["walrus", "Sea otter", "river otter"]],
  [{ page: "999" }, ["walrus", "Sea otter", "river otter"]],
])("a list shows what the address asks for: %j", (query, names) => expect(namesOf(query)).toEqual(names));

test("a long list has pages that keep what was asked, and a form; a short one has neither", () => {
  const many = Array.from({ length: 250 }, (_, index) => ({ name: `otter ${index}`, size: index }));
  const listed = list({ page: "2", q: "otter", sort: "size" }, many);
  expect([listed.rows.length, listed.rows[0]?.name, listed.count]).toEqual([100, "otter 149", 250]);
  const links = [...toMarkup(listLinks(listed, "/p") ?? fail()).matchAll(/href="([^"]+)"/g)].map(([, href]) => href);
  expect(links).toEqual(["/p?q=otter&amp;sort=size&amp;page=1", "/p?q=otter&amp;sort=size&amp;page=3"]);
  const form = toMarkup(listForm(listed, { path: "/p", label: "Name", fields: { month: "2026-11" } }) ?? fail());
  expect(form).toContain('name="month" value="2026-11"');
  expect(form).toContain('value="otter"');
  expect(form).toMatch(/value="size"\s+selected/);
  expect(form).toContain("250 of 250");
  expect(listLinks(list({}), "/p")).toBeUndefined();
  expect(listForm(list({}), { path: "/p", label: "Name" })).toBeUndefined();
});

function fail(): never {
  throw new Error("there is none");
}
