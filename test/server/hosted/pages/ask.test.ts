import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AskedService, startAskedService, startService } from "../../../support/hosted.ts";
import type { ScriptedReply } from "../../../support/scripted-model.ts";
import { testEngines } from "../../../support/stores.ts";
import { createVisitor, signedIn, type Visitor } from "../../../support/visitor.ts";

const lines = Array.from({ length: 60 }, (_, index) => `export const line${index + 1} = "<b>";`).join("\n");
const reading = { toolCalls: [{ name: "read", input: { path: "retry.ts", startLine: 28, endLine: 35 } }] };

describe.each(testEngines())("asking on the web on $name", (engine) => {
  let service: AskedService;
  let visitor: Visitor;
  let base: string;
  let answer: string | ScriptedReply = "";
  beforeAll(async () => {
    service = await startAskedService(await engine.createDatabase(), ({ toolResults }) =>
      toolResults.length === 0 ? reading : answer,
    );
    base = `/p/${service.project.name}`;
    visitor = await signedIn(service);
    await service.addLib(await service.key(), { "retry.ts": `${lines}\n` });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const ask = { question: "How often does it retry?" };

  test("without script the whole answer comes with the page, its citations as links to the cited lines", async () => {
    answer = "It **retries** three times [[lib:retry.ts#L30-L31]].";
    const page = await visitor.send(`${base}/ask`, ask);
    expect(page.status).toBe(200);
    expect(page.text).toContain("It <strong>retries</strong> three times ");
    expect(page.text).toContain("Answer complete. 1 citation: 1 verified.");
    expect(page.text).toContain("How often does it retry?</h2>");
    const [, link = ""] = /<a\s+class="cite"\s+href="([^"]+)"/.exec(page.text) ?? [];
    const source = await visitor.open(link.replaceAll("&amp;", "&").replace(/#.*/, ""));
    expect(source.status).toBe(200);
    const cited = [...source.text.matchAll(/<mark class="row cited" id="(L\d+)">/g)].map(([, id]) => id);
    expect(cited).toEqual(["L30", "L31"]);
    expect(source.text).toContain('id="L10"');
    expect(source.text).toContain('id="L51"');
    expect(source.text).not.toContain('id="L52"');
    expect(source.text).toContain(
      '<span class="keyword">const</span> line30 = <span class="string">&quot;&lt;b&gt;&quot;</span>;',
    );
  });

  test("what a model writes is never markup, nor a link that runs a script", async () => {
    answer = [
      "<script>alert(1)</script>",
      "a <img src=x onerror=alert(1)> b",
      "[click](javascript:alert(1)) [data](data:text/html,x) [fine](https://example.com/?a=1&b=2) ![pixel](https://example.com/p.png)",
      '```js"><script>\n</code></pre><script>alert(2)</script>\n```',
      '```js\nconst end = "</code>";\n```',
      "| <b>h</b> |\n|---|\n| <i>c</i> |",
    ].join("\n\n");
    const page = await visitor.send(`${base}/ask`, ask);
    const [, text = ""] = /<div data-part="blocks" class="answer">([\s\S]*)<div data-part="end">/.exec(page.text) ?? [];
    expect(text).not.toMatch(/<(script|img|b|i)\b/);
    expect(text).not.toMatch(/href="(?!https:)/);
    expect(text).toContain('href="https://example.com/?a=1&amp;b=2"');
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(text).toContain('<span class="string">&quot;&lt;/code&gt;&quot;</span>');
  });

  test("a question about nothing that is registered says so, and a failing model as well", async () => {
    const unknown = await visitor.send(`${base}/ask`, { ...ask, resources: "npm:left-pad" });
    expect(unknown.text).toContain("No resource named");
    answer = { status: 400, body: { error: { message: "bad <model>" } } };
    const failed = await visitor.send(`${base}/ask`, ask);
    expect(failed.text).toContain("The answer failed: ");
    expect(failed.text).toContain("bad &lt;model&gt;");
  });

  test("an empty question is refused at its field", async () => {
    const page = await visitor.send(`${base}/ask`, { question: " " });
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('id="question-error"')]);
  });

  test("the script's stream has the blocks as they grow, and the end", async () => {
    answer = { text: ["# First\n\nIt ret", "ries [[lib:retry.ts#L30]].\n\n", "Then <b>it</b> stops."] };
    const page = await visitor.send(`${base}/ask/stream`, { ...ask, resources: ["lib"] });
    expect(page.headers.get("content-type")).toBe("text/event-stream");
    const events = [...page.text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
    const blocks = events.reduce<string[]>(
      (shown, event) => (event.type === "blocks" ? [...shown.slice(0, event.keep), ...event.blocks] : shown),
      [],
    );
    expect(blocks).toHaveLength(3);
    expect(blocks[0]).toContain('<h3 dir="auto" class="size-1">First</h3>');
    expect(blocks[1]).toMatch(/It retries <a\s+class="cite"/);
    expect(blocks[2]).toContain("Then &lt;b&gt;it&lt;/b&gt; stops.");
    expect(events.at(-1)).toMatchObject({ type: "end", markup: expect.stringContaining("Sources") });
    expect(events).toContainEqual({ type: "status", text: "Answer complete. 1 citation: 1 verified." });
    expect(events[0]).toMatchObject({ type: "turn", markup: expect.stringContaining("How often does it retry?</h2>") });
    const { id: thread } = events.find(({ type }) => type === "thread");
    answer = "Yes.";
    await visitor.send(`${base}/ask/stream`, { question: "Sure?", resources: ["lib"], thread });
    expect((await visitor.open(`${base}/ask/${thread}`)).text.match(/class="turn"/g)).toHaveLength(2);
  });

  const threadOf = (page: string): string => /name="thread" value="([^"]*)"/.exec(page)?.[1] ?? "";
  const lastMessages = () => JSON.stringify(service.model.requests.at(-1)?.body.messages);

  test("a follow-up question goes on in the conversation, which is kept, listed, opened again and deleted", async () => {
    answer = "It **retries** three times [[lib:retry.ts#L30-L31]].";
    const first = await visitor.send(`${base}/ask`, { question: "What is <first>?", resources: "lib" });
    const thread = threadOf(first.text);
    expect(thread).toMatch(/^[0-9a-f]{12}$/);
    answer = "It stops after that.";
    const second = await visitor.send(`${base}/ask`, { question: "And then?", resources: "lib", thread });
    expect(second.text.match(/class="turn"/g)).toHaveLength(2);
    expect(lastMessages()).toContain("What is <first>?");
    expect(lastMessages()).toContain("It **retries** three times");

    const list = await visitor.open(`${base}/ask`);
    expect(list.text).toContain(`href="${base}/ask/${thread}"`);
    expect(list.text).toMatch(/What is &lt;first&gt;\?[^]*2 questions · lib/);
    const opened = await visitor.open(`${base}/ask/${thread}`);
    expect(opened.text).toMatch(/It <strong>retries<\/strong>[^]*class="cite"[^]*It stops after that\./);
    expect(opened.text).toContain("1 citation: 1 verified.");

    const other = await signedIn(service, "eve@example.com");
    expect((await other.open(`${base}/ask/${thread}`)).status).toBe(404);
    expect((await other.send(`${base}/ask/delete`, { thread })).status).toBe(404);
    expect((await other.open(`${base}/ask`)).text).toContain("There are none yet.");

    const deleted = await visitor.send(`${base}/ask/delete`, { thread });
    expect([deleted.path, deleted.text]).toEqual([
      `${base}/ask?done=deleted`,
      expect.stringContaining("The conversation is deleted."),
    ]);
    expect((await visitor.open(`${base}/ask/${thread}`)).status).toBe(404);
    const next = await visitor.send(`${base}/ask`, { question: "Still there?", thread });
    expect(next.text).toContain("This question began a new one.");
    expect(threadOf(next.text)).not.toBe(thread);
    expect(lastMessages()).not.toContain("What is <first>?");
  });

  test("an extract has the numbers of the lines that it cites, also while it is streamed and when it is shared", async () => {
    const extract = lines.split("\n").slice(27, 29).join("\n");
    answer = `**1.** Here: [[lib:retry.ts#L28-L29]]\n\n\`\`\`ts\n${extract}\n\`\`\`\n\nNot [[lib:retry.ts#L30]]:\n\n\`\`\`ts\nconst other = 1;\n\`\`\``;
    const numbersIn = (text: string) =>
      [...text.replaceAll("\\", "").matchAll(/class="numbered" data-line="(\d+)"/g)].map(([, number]) => number);
    const page = await visitor.send(`${base}/ask`, ask);
    expect(numbersIn(page.text)).toEqual(["28", "29"]);
    expect(page.text).toContain('<span class="keyword">const</span> line28');
    const opened = await visitor.open(`${base}/ask/${threadOf(page.text)}`);
    expect(numbersIn(opened.text)).toEqual(["28", "29"]);
    const shared = await visitor.send(`${base}/ask/share`, { thread: threadOf(page.text) });
    expect(numbersIn(shared.text)).toEqual(["28", "29"]);
    expect(numbersIn((await visitor.send(`${base}/ask/stream`, ask)).text)).toEqual(["28", "29"]);
  });

  const againIn = (page: string): string[] =>
    [...page.matchAll(/name="again" value="([^"]+)"/g)].map(([, askedAt = ""]) => askedAt);

  test("asking again replaces an answer and those after it, and asks about the same", async () => {
    const { send, open } = visitor;
    answer = "Three [[lib:retry.ts#L30]].";
    const first = await send(`${base}/ask`, { question: "How often?", resources: "lib" });
    const thread = threadOf(first.text);
    await send(`${base}/ask`, { question: "And then?", resources: "lib", thread });
    const { path: shared } = await send(`${base}/ask/share`, { thread });
    const opened = await open(`${base}/ask/${thread}`);
    expect(againIn(opened.text)).toHaveLength(2);
    // The page of the answer itself names it in the same way.
    expect(againIn(first.text)).toEqual(againIn(opened.text).slice(0, 1));
    answer = "Four.";
    await send(`${base}/resources`, { source: service.git.url("lib"), name: "copy" });
    await service.untilFetched();
    const [again = ""] = againIn(opened.text);
    const other = await signedIn(service, "eve@example.com");
    expect((await other.send(`${base}/ask`, { thread, again })).status).toBe(404);
    const replaced = await send(`${base}/ask`, { thread, again });
    for (const { text } of [replaced, await open(`${base}/ask/${thread}`)]) {
      expect(text.match(/class="turn"/g)).toHaveLength(1);
      expect(text).toContain("How often?</h2>");
      expect(text).toContain("Four.");
      expect(text).toMatch(/value="lib"\s+checked/);
    }
    expect(lastMessages()).not.toContain("And then?");
    expect((await open(shared.replace(/\?.*/, ""))).status).toBe(404);
    expect((await send(`${base}/ask`, { thread, again })).status).toBe(404);
    answer = "Five.";
    const [next = ""] = againIn(replaced.text);
    const streamed = await send(`${base}/ask/stream`, { thread, again: next });
    expect(streamed.text).toContain("How often?</h2>");
    const last = await open(`${base}/ask/${thread}`);
    expect([last.text.match(/class="turn"/g)?.length, last.text]).toEqual([1, expect.stringContaining("Five.")]);
    expect(streamed.text).toContain(againIn(last.text)[0]);
    await send(`${base}/resources/remove`, { resource: "copy" });
  });

  test("a mention names the resource of a question", async () => {
    answer = "Yes.";
    expect((await visitor.send(`${base}/ask`, { question: "@lib does it retry?" })).text).toContain("Answer complete.");
    expect(lastMessages()).not.toContain("@lib");
    expect((await visitor.send(`${base}/ask`, { question: "@npm:zod does it?" })).text).toContain("No resource named");
  });

  test("while a fetch fails, the answer says that it is from the last snapshot, since when and why", async () => {
    answer = "It retries [[lib:retry.ts#L30]].";
    service.git.intercept((_request, response) => {
      response.writeHead(503).end();
      return true;
    });
    await visitor.send(`${base}/resources/sync`, { resource: "lib" });
    await service.untilFetched();
    const note =
      /Answered from the last snapshot of lib, because it cannot be fetched:[^<]+503[^<]+First\s+failed\s+<time/;
    const page = await visitor.send(`${base}/ask`, ask);
    expect(page.text).toMatch(note);
    expect(page.text).toContain("1 verified");
    const streamed = await visitor.send(`${base}/ask/stream`, ask);
    const events = [...streamed.text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
    expect(events).toContainEqual({ type: "notes", markup: expect.stringMatching(note) });
    service.git.intercept(undefined);
    await visitor.send(`${base}/resources/sync`, { resource: "lib" });
    await service.untilFetched();
    expect((await visitor.send(`${base}/ask`, ask)).text).not.toMatch(note);
  });

  test("a visitor who leaves stops the model", async () => {
    answer = { text: ["It "], hang: true };
    const before = service.model.requests.length;
    const leaving = new AbortController();
    const stream = visitor.send(`${base}/ask/stream`, ask, { "sec-fetch-site": "same-origin" }, leaving.signal);
    const request = await service.model.request(before + 1);
    leaving.abort();
    await expect(stream).rejects.toThrow("abort");
    await request.closed;
  });

  test("cited lines of another resource, a broken link and a revision that is gone are pages that say so", async () => {
    const place = (fields: Record<string, string>) =>
      `${base}/source?${String(new URLSearchParams({ resource: "lib", path: "retry.ts", revision: "0".repeat(40), lines: "L1", ...fields }))}`;
    expect((await visitor.open(place({}))).status).toBe(404);
    expect((await visitor.open(place({ resource: "npm:zod" }))).status).toBe(404);
    expect((await visitor.open(place({ lines: "x" }))).status).toBe(400);
    expect((await visitor.open(place({ path: "../../etc/passwd" }))).status).not.toBe(200);
  });

  test("questions of another site are refused, and those of strangers lead to nothing", async () => {
    expect((await visitor.send(`${base}/ask/stream`, ask, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await createVisitor(service.url).send(`${base}/ask`, ask)).status).toBe(401);
  });

  test("an account has a limit of questions per minute", async () => {
    await using limited = await startService(await engine.createDatabase(), { rateLimit: { perMinute: 1 } });
    const own = await signedIn(limited);
    const path = `/p/${limited.project.name}/ask`;
    expect((await own.send(path, ask)).status).toBe(200);
    expect((await own.send(path, ask)).status).toBe(429);
  });
});
