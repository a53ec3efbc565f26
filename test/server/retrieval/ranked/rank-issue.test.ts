import { describe, expect, test } from "vitest";
import { createRetrieval } from "../../../../server/retrieval/retrieval.ts";
import { fixture } from "../../../support/fixture.ts";

const noise = Array.from({ length: 40 }, (_, line) => `print(frame, socket, buffer, thread, ${line})`);
const tree = fixture(`//- app/backoff.py
class Backoff:
    """How long a retry waits: the delay doubles without a limit."""
    def delay(self, times):
        return 2 ** times
//- app/output.py
def show(frame, socket, buffer, thread):
    ${noise.join("\n    ")}
//- app/store.py
class Store:
    def save(self, item):
        self.items.append(item)

    def load(self, key):
        return self.items[key]
//- app/table.py
class Table:
    def row(self, cell):
        return cell
`);

async function filesOf(query: string, limit = 10): Promise<string[]> {
  const { passages } = await createRetrieval().search([tree], { query, limit, signal: undefined });
  return [...new Set(passages.map(({ path }) => path))];
}

const output = ["```", ...noise, "```"].join("\n");

describe("a pasted issue", () => {
  test("is about what its title and prose say, however long its output is", async () => {
    const [first] = await filesOf(`A retry waits too long\n\nThe delay doubles without a limit.\n\n${output}`);
    expect(first).toBe("app/backoff.py");
  });

  test.each([
    ["a path", "I think it is in app/table.py, but there is no line."],
    ["a file name", "I think it is in `table.py`."],
    ["a link", "https://github.com/o/r/blob/main/app/table.py"],
    ["a trace", 'Traceback (most recent call last):\n  File "/srv/app/table.py", line 3, in row\n    return cell'],
  ])("raises the files that it names: %s", async (_, named) => {
    const about = "Saving fails for each item\n\nThe store appends items, then load has a wrong key.\n";
    expect((await filesOf(about)).slice(0, 2)).not.toContain("app/table.py");
    expect((await filesOf(`${about}\n${named}`)).slice(0, 2)).toContain("app/table.py");
  });

  test("shows the line of a trace first of its file, and its file not before better ones", async () => {
    const query = `A retry waits too long
The delay of the backoff doubles without a limit.
It should wait for a minute at most.
  File "/srv/app/store.py", line 6, in load`;
    const { passages } = await createRetrieval().search([tree], { query, limit: 10, signal: undefined });
    expect(passages[0]?.path).toBe("app/backoff.py");
    const ofStore = passages.filter(({ path }) => path === "app/store.py");
    expect(ofStore[0]?.reason).toBe("has line 6, which the question names");
  });

  test("has each result once, page by page", async () => {
    const query = `A retry waits too long\nin app/store.py and table.py\n${output}`;
    const pages = [];
    for (const offset of [0, 2, 4]) {
      const { passages } = await createRetrieval().search([tree], { query, offset, limit: 2, signal: undefined });
      pages.push(...passages.map(({ path, startLine }) => `${path}:${startLine}`));
    }
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages.length).toBeGreaterThan(2);
  });
});

test("output with a line above it is about its first line of the project", async () => {
  const trace = `KeyError: why the delay doubles\nTraceback (most recent call last):
  File "/srv/app/table.py", line 3, in row
    return item
  File "/usr/lib/python3.12/json/decoder.py", line 1, in decode
    raise KeyError`;
  expect((await filesOf(trace))[0]).toBe("app/table.py");
});
