import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setLimits } from "../../../../server/hosted/limits/project-limits.ts";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { createInvite } from "../../../../server/hosted/tenants/links.ts";
import type { Role } from "../../../../server/protocol/hosted-accounts.ts";
import { type AskedService, startAskedService } from "../../../support/hosted.ts";
import type { ScriptedReply } from "../../../support/scripted-model.ts";
import { testEngines } from "../../../support/stores.ts";
import { createVisitor, signedIn, testPassword, type Visitor } from "../../../support/visitor.ts";

describe.each(testEngines())("usage and limits on $name", (engine) => {
  let service: AskedService;
  let owner: Visitor;
  let base: string;
  const replies: (string | ScriptedReply)[] = [];
  beforeAll(async () => {
    service = await startAskedService(await engine.createDatabase(), () => replies.shift() ?? "Three times.");
    base = `/p/${service.project.name}`;
    owner = await signedIn(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function join(role: Role): Promise<Visitor> {
    const visitor = createVisitor(service.url);
    const { token } = await createInvite(service.store, service.project, { role, actor: "operator" });
    await visitor.send(`/link/${token}`, { email: `${role}@example.com`, password: testPassword });
    return visitor;
  }
  /** The cells of the row of a name. */
  const rowOf = (page: string, name: string): string[] => {
    const [, row = ""] = new RegExp(`<th scope="row">${name}</th>([^]*?)</tr>`).exec(page) ?? [];
    return [...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell = ""]) => cell.replaceAll(/<[^>]*>/g, "").trim());
  };

  test("before the first question, the page says that nothing was asked", async () => {
    const page = await owner.open(`${base}/usage`);
    expect(page.text).toMatch(/No questions were asked in \w+ \d{4}\./);
    expect(page.text).not.toContain("<svg");
  });

  test("questions and tokens are shown by day, and by key and account", async () => {
    const key = await service.key();
    await service.addLib(key);
    await service.call(key, "ask", { question: "How often?", resources: ["lib"] });
    for (const question of ["How often?", "Sure?"]) await owner.send(`${base}/ask`, { question });
    const page = await owner.open(`${base}/usage`);
    expect(rowOf(page.text, "key agent")).toEqual(["1", "1", "0", "0", "15", "0.00"]);
    expect(rowOf(page.text, "ada@example.com")).toEqual(["2", "2", "0", "0", "30", "0.00"]);
    expect(rowOf(page.text, "Total")).toEqual(["3", "3", "0", "0", "45", "0.00"]);
    expect(rowOf(page.text, "these pages")).toEqual(["2", "2", "0", "0", "30", "0.00"]);
    expect(rowOf(page.text, "node")).toEqual(["1", "1", "0", "0", "15", "0.00"]);
    // Only the first question names it, and no answer cites it.
    expect(rowOf(page.text, "lib")).toEqual(["1", "1", "0", "0"]);
    const [, svg = ""] = /<svg[^>]*>([^]*?)<\/svg>/.exec(page.text) ?? [];
    const bars = [...svg.matchAll(/height="(\d+)"/g)].map(([, height]) => height);
    expect(bars.length).toBeGreaterThanOrEqual(28);
    expect(bars.filter((height) => height !== "0")).toEqual(["100"]);
    expect(page.text).not.toContain("style=");
  });

  test("an earlier month is opened by a link; what is no month shows the current one", async () => {
    await service.store.query("update daily_usage set day = '2025-02-28' where project = $1 and actor like 'key:%'", [
      service.project.id,
    ]);
    const february = await owner.open(`${base}/usage?month=2025-02`);
    expect(rowOf(february.text, "Feb\u00a028")).toEqual(["1", "1", "0", "0", "15", "0.00"]);
    expect(february.text).toContain(`href="${base}/usage?month=2025-03"`);
    expect(february.text).not.toContain("month=2025-01");
    const current = await owner.open(`${base}/usage`);
    for (const month of ["2025-13", "x", "2025-02&month=2025-03"]) {
      expect((await owner.open(`${base}/usage?month=${month}`)).text).toBe(current.text);
    }
  });

  const noLimits = { running: "", questions: "", tokens: "", costUsd: "", resources: "", fetches: "", diskGb: "" };

  test("an owner sets limits, which apply at once and are in the audit log", async () => {
    await setLimits(service.store, service.project.id, { questions: 100, costUsd: 2.5, diskGb: 2.5 });
    const saved = await owner.send(`${base}/usage/limits`, { ...noLimits, questions: "2", costUsd: "1.25" });
    expect([saved.path, saved.text]).toEqual([
      `${base}/usage?done=saved`,
      expect.stringContaining("The limits are saved."),
    ]);
    expect(rowOf(saved.text, "Questions a month")).toEqual(["3", "2, set by an owner"]);
    expect(rowOf(saved.text, "US\\$ a month")).toEqual(["0.00", "1.25, set by an owner"]);
    expect(rowOf(saved.text, "Tokens a month")).toEqual(["45", "no limit"]);
    expect(rowOf(saved.text, "Resources")).toEqual(["1", "no limit"]);
    expect(rowOf(saved.text, "GB on disk")).toEqual(["under 0.001", "2.5, set by the operator"]);
    expect((await owner.send(`${base}/ask`, { question: "Again?" })).text).toContain("limit of 2 questions a month");
    const [entry] = await listAudit(service.store, service.project.id);
    expect(entry).toMatchObject({ action: "limits.changed", detail: { questions: 2, costUsd: 1.25, tokens: null } });
    const cleared = await owner.send(`${base}/usage/limits`, noLimits);
    expect(rowOf(cleared.text, "Questions a month")).toEqual(["3", "100, set by the operator"]);
  });

  test.each([
    [{ questions: "101" }, "questions", "the operator&#39;s limit is 100"],
    [{ costUsd: "2.51" }, "costUsd", "the operator&#39;s limit is 2.50"],
    [{ tokens: "many" }, "tokens", "a whole number, or nothing for no limit"],
    [{ tokens: "1.5" }, "tokens", "a whole number, or nothing for no limit"],
    [{ running: "-1" }, "running", "a limit is at least 0"],
    [{ diskGb: "2.6" }, "diskGb", "the operator&#39;s limit is 2.5"],
    [{ costUsd: "1e400" }, "costUsd", "a number, or nothing for no limit"],
  ])("a limit above the operator's, or none at all, is refused at its field: %j", async (fields, name, text) => {
    const page = await owner.send(`${base}/usage/limits`, { ...noLimits, ...fields });
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(`id="${name}-error">${text}`)]);
  });

  test("a question that fails counts as failed, and one that cites a resource for that resource", async () => {
    const key = await service.key();
    replies.push({ status: 400, body: { error: { message: "no such model" } } });
    await service.call(key, "ask", { question: "Does it fail?", resources: ["lib"] });
    const cites = "It retries three times [[lib:retry.ts#L1]].";
    replies.push({ toolCalls: [{ name: "read", input: { resource: "lib", path: "retry.ts" } }] }, cites);
    await service.call(key, "ask", { question: "What does it cite?" });
    const page = await owner.open(`${base}/usage`);
    expect(rowOf(page.text, "lib")).toEqual(["3", "1", "0", "1"]);
  });

  test("a client is counted by the name that it said when it connected, which is text", async () => {
    const key = await service.key();
    const clientInfo = { name: "<b>otter</b>\u202E", version: "1.2" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    const begun = await service.send(key, { jsonrpc: "2.0", id: 1, method: "initialize", params });
    const session = begun.headers.get("mcp-session-id") ?? "";
    const ask = { name: "ask", arguments: { question: "How often?" } };
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "mcp-session-id": session };
    await service.send(key, { jsonrpc: "2.0", id: 2, method: "tools/call", params: ask }, { headers });
    const page = await owner.open(`${base}/usage`);
    expect(rowOf(page.text, "b&gt;otter&lt;/b&gt; 1.2")).toEqual(["1", "1", "0", "0", "15", "0.00"]);
  });

  test("an admin sees the page and cannot change limits; a member does not see it", async () => {
    const admin = await join("admin");
    const page = await admin.open(`${base}/usage`);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain("Change the limits");
    expect((await admin.send(`${base}/usage/limits`, noLimits)).status).toBe(403);
    const member = await join("member");
    expect((await member.open(`${base}/usage`)).status).toBe(403);
    expect((await member.open(base)).text).not.toContain(`${base}/usage`);
  });
});
