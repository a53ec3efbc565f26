import { expect, test } from "vitest";
import { createMetrics } from "../../../../server/hosted/metrics/metrics.ts";

test("metrics are in the text format of Prometheus", async () => {
  const metrics = createMetrics();
  const answers = metrics.counter("answers_total", "Answers.");
  const duration = metrics.histogram("duration_seconds", "Durations.");
  metrics.gauge("size", "Sizes.", () => [{ labels: { of: 'a "quoted"\nname' }, value: 1.5 }, { value: 2 }]);
  answers.add({ status: "200" });
  answers.add({ status: "200" }, 2);
  answers.add({ status: "429" });
  duration.observe({ tool: "ask" }, 0.3);
  duration.observe({ tool: "ask" }, 300);
  expect(await metrics.text()).toMatchInlineSnapshot(`
    "# HELP answers_total Answers.
    # TYPE answers_total counter
    answers_total{status="200"} 3
    answers_total{status="429"} 1
    # HELP duration_seconds Durations.
    # TYPE duration_seconds histogram
    duration_seconds_bucket{tool="ask",le="0.001"} 0
    duration_seconds_bucket{tool="ask",le="0.005"} 0
    duration_seconds_bucket{tool="ask",le="0.025"} 0
    duration_seconds_bucket{tool="ask",le="0.1"} 0
    duration_seconds_bucket{tool="ask",le="0.25"} 0
    duration_seconds_bucket{tool="ask",le="0.5"} 1
    duration_seconds_bucket{tool="ask",le="1"} 1
    duration_seconds_bucket{tool="ask",le="2.5"} 1
    duration_seconds_bucket{tool="ask",le="5"} 1
    duration_seconds_bucket{tool="ask",le="10"} 1
    duration_seconds_bucket{tool="ask",le="25"} 1
    duration_seconds_bucket{tool="ask",le="60"} 1
    duration_seconds_bucket{tool="ask",le="+Inf"} 2
    duration_seconds_sum{tool="ask"} 300.3
    duration_seconds_count{tool="ask"} 2
    # HELP size Sizes.
    # TYPE size gauge
    size{of="a \\"quoted\\"\\nname"} 1.5
    size 2
    "
  `);
});

test("a metric that cannot be read is left out", async () => {
  const metrics = createMetrics();
  metrics.gauge("jobs", "Jobs.", () => Promise.reject(new Error("the database is away")));
  metrics.gauge("memory", "Memory.", () => [{ value: 1 }]);
  expect(await metrics.text()).toBe("# HELP memory Memory.\n# TYPE memory gauge\nmemory 1\n");
});
