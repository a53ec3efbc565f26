import { expect, test } from "vitest";
import * as z from "zod";
import { defineTool, type ToolResult, withoutRepeats } from "../../../../server/agent/tools/define.ts";
import { createShownLines } from "../../../../server/agent/tools/shown.ts";
import { CitewellError } from "../../../../server/errors.ts";
import { fixture } from "../../../support/fixture.ts";

/** What calling a tool comes to that ends as `run` says. */
async function call(run: () => Promise<ToolResult>, abortSignal = new AbortController().signal) {
  const tool = defineTool({ name: "search", description: "", inputSchema: z.object({}), run });
  const options = { toolCallId: "1", messages: [], abortSignal, context: {} };
  return tool.execute?.({}, options);
}

test("a CitewellError is a result that says what to try", async () => {
  const error = new CitewellError("InvalidRequest", "that is wrong", { hint: "try this" });
  expect(await call(() => Promise.reject(error))).toEqual({
    text: "that is wrong\ntry this",
    metadata: { tag: "InvalidRequest" },
  });
});

test("any other error is thrown", async () => {
  await expect(call(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

test("what was stopped says to ask for less", async () => {
  const stopped = call(() => Promise.reject(new Error("aborted")), AbortSignal.abort());
  await expect(stopped).rejects.toThrow("stopped: it took too long; ask for less at once");
});

test("a repeated call is made again once a resource was opened", async () => {
  const calls: unknown[] = [];
  const snapshots = [fixture("//- a.ts\n1\n")];
  const search = defineTool({
    name: "search",
    description: "",
    inputSchema: z.object({ query: z.string() }),
    run: async (input) => ({ text: `found ${calls.push(input)}`, metadata: {} }),
  });
  const tools = withoutRepeats({ search }, { snapshots, shown: createShownLines({ isLeftOut: () => false }) });
  const ask = () => tools.search.execute?.({ query: "x" }, { toolCallId: "1", messages: [], context: {} });
  expect(await ask()).toMatchObject({ text: "found 1" });
  expect(await ask()).toMatchObject({ text: "(the same call as before: its result is above)" });
  snapshots.push(fixture("//- b.ts\n1\n", { resource: "opened" }));
  expect(await ask()).toMatchObject({ text: "found 2" });
});
