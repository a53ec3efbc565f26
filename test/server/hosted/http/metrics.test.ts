import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createLog } from "../../../../server/lib/log.ts";
import { startGitServer } from "../../../support/git-server.ts";
import { startService } from "../../../support/hosted.ts";
import { scriptedModel } from "../../../support/scripted-model.ts";
import { testEngines } from "../../../support/stores.ts";

/** The metrics in the expressions of alerts, without the endings of a histogram's series. */
function namesIn(alerts: string): string[] {
  const names = alerts.match(/\b(?:citewell|process|nodejs)_[a-z_]+/g) ?? [];
  expect(names.length).toBeGreaterThan(10);
  return [...new Set(names.map((name) => name.replace(/_(?:count|bucket|sum)$/, "")))];
}

describe.each(testEngines())("metrics on $name", (engine) => {
  test("count calls, questions, fetches and the database, without data of the project", async () => {
    await using git = await startGitServer();
    await git.commit("secretlib", { "retry.ts": "export const retries = 3;\n" });
    await using model = await scriptedModel(["It retries three times [[secretlib:retry.ts#L1]]."]);
    await using service = await startService(await engine.createDatabase(), {
      config: { ...model.config },
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
      metrics: { host: "127.0.0.1", port: 0 },
    });
    const key = await service.key();
    await service.call(key, "addResource", { type: "git", name: "secretlib", url: git.url("secretlib") });
    await service.untilFetched();
    await service.call(key, "ask", { question: "How often does it retry?" });
    await service.call(key, "read", { resource: "missing", path: "a.ts" });
    await service.call(key, "secretlib");
    expect((await service.send("cw_wrong", {})).status).toBe(401);

    const response = await fetch(service.metricsUrl ?? "");
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    const valueOf = (series: string) =>
      text
        .split("\n")
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length + 1);
    expect(valueOf('citewell_tool_call_duration_seconds_count{tool="ask",outcome="ok"}')).toBe("1");
    expect(valueOf('citewell_tool_call_duration_seconds_count{tool="read",outcome="rejected"}')).toBe("1");
    expect(valueOf('citewell_tool_call_duration_seconds_count{tool="other",outcome="rejected"}')).toBe("1");
    expect(valueOf('citewell_fetch_duration_seconds_count{outcome="fetched"}')).toBe("1");
    expect(valueOf('citewell_http_requests_total{status="401"}')).toBe("1");
    expect(valueOf('citewell_http_requests_total{status="200"}')).toBe("4");
    expect(valueOf("citewell_questions_total")).toBe("1");
    expect(valueOf("citewell_questions_running")).toBe("0");
    expect(valueOf("citewell_model_tokens_total")).toBe("15");
    expect(valueOf('citewell_jobs{state="failed"}')).toBe("0");
    expect(valueOf("citewell_jobs_oldest_wait_seconds")).toBe("0");
    expect(valueOf('citewell_build_info{version="1.2.3",role="both"}')).toBe("1");
    expect(Number(valueOf("process_resident_memory_bytes"))).toBeGreaterThan(1e6);
    expect(Number(valueOf("nodejs_eventloop_lag_seconds"))).toBeGreaterThanOrEqual(0);
    expect(Number(valueOf("citewell_database_duration_seconds_count"))).toBeGreaterThan(5);
    const busy = valueOf('citewell_database_connections{state="busy"}');
    expect(busy === undefined).toBe(engine.name === "PGlite");
    for (const data of ["secretlib", "missing", service.project.name, service.project.id])
      expect(text).not.toContain(data);

    // Prometheus has `up` of its own; PGlite has no connections to count.
    const missing = namesIn(readFileSync("deploy/alerts.yaml", "utf8")).filter(
      (name) => !text.includes(`# TYPE ${name} `) && name !== "citewell_database_connections",
    );
    expect(missing).toEqual([]);

    const lines = text.trimEnd().split("\n");
    const isSample = /^[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [\d.e+-]+$/;
    expect(lines.filter((line) => !/^# (HELP|TYPE) [a-z_]+ \S/.test(line) && !isSample.test(line))).toEqual([]);
    expect((await fetch(new URL("/", service.metricsUrl))).status).toBe(404);
    expect((await fetch(new URL("/metrics", service.url))).status).toBe(404);
  });
});

describe.each(testEngines())("log lines on $name", (engine) => {
  test("have the id of the request, which the answer returns", async () => {
    const lines: string[] = [];
    await using service = await startService(await engine.createDatabase(), {
      log: createLog("info", (line) => lines.push(line), "json"),
    });
    const key = await service.key();
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "listResources", arguments: {} } };
    const answered = await service.send(key, message);
    const refused = await service.send("cw_wrong", message);
    const idOf = (response: Response) => response.headers.get("x-request-id");
    expect(idOf(answered)).toMatch(/^[\da-f-]{36}$/);
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { level: "info", event: "tool-called", request: idOf(answered), project: service.project.name },
      { level: "info", event: "request-refused", request: idOf(refused), tag: "KeyInvalid" },
    ]);
    const page = await fetch(new URL("/sign-in", service.url));
    expect(idOf(page)).toMatch(/^[\da-f-]{36}$/);
  });
});
