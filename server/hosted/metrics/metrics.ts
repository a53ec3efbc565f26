/** Names of labels and their values. Each value is one of a few: a time series is kept for every combination. */
export type Labels = Readonly<Record<string, string>>;

/** One measured value of a gauge. */
export interface Sample {
  labels?: Labels;
  value: number;
}

/** Counts from the start of the process. */
export interface Counter {
  add(labels: Labels, by?: number): void;
}

/** Durations in seconds. */
export interface Histogram {
  observe(labels: Labels, seconds: number): void;
}

/** The metrics of a process, in the text format of Prometheus. */
export interface Metrics {
  counter(name: string, help: string): Counter;
  histogram(name: string, help: string): Histogram;
  /** @param read called for each scrape; without samples the metric is left out, also if it fails */
  gauge(name: string, help: string, read: () => readonly Sample[] | Promise<readonly Sample[]>): void;
  /** https://prometheus.io/docs/instrumenting/exposition_formats/ (version 0.0.4) */
  text(): Promise<string>;
}

/** Bounds in seconds, for a database query as for a question. */
const bucketBounds = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60];

/** Creates metrics without any. */
export function createMetrics(): Metrics {
  const families: (() => Promise<string[]>)[] = [];
  const add = (
    { name, help, type }: { name: string; help: string; type: string },
    read: () => string[] | Promise<string[]>,
  ) => {
    families.push(async () => {
      const lines = await read();
      return lines.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
    });
  };
  return {
    counter(name, help) {
      const values = new Map<string, number>();
      add({ name, help, type: "counter" }, () => [...values].map(([labels, value]) => line(name, labels, value)));
      return {
        add(labels, by = 1) {
          const key = formatLabels(labels);
          values.set(key, (values.get(key) ?? 0) + by);
        },
      };
    },
    histogram(name, help) {
      const series = new Map<string, { counts: number[]; count: number; sum: number }>();
      add({ name, help, type: "histogram" }, () =>
        [...series].flatMap(([labels, { counts, count, sum }]) => [
          ...bucketBounds.map((bound, index) =>
            line(`${name}_bucket`, join(labels, `le="${bound}"`), counts[index] ?? 0),
          ),
          line(`${name}_bucket`, join(labels, 'le="+Inf"'), count),
          line(`${name}_sum`, labels, sum),
          line(`${name}_count`, labels, count),
        ]),
      );
      return {
        observe(labels, seconds) {
          const key = formatLabels(labels);
          const { counts, count, sum } = series.get(key) ?? { counts: bucketBounds.map(() => 0), count: 0, sum: 0 };
          const atMost = bucketBounds.map((bound, index) => (counts[index] ?? 0) + (seconds <= bound ? 1 : 0));
          series.set(key, { counts: atMost, count: count + 1, sum: sum + seconds });
        },
      };
    },
    gauge(name, help, read) {
      add({ name, help, type: "gauge" }, async () =>
        (await read()).map(({ labels = {}, value }) => line(name, formatLabels(labels), value)),
      );
    },
    async text() {
      // A metric of the database is missing while the database is away; the others are needed most then.
      const lines = await Promise.all(families.map((read) => read().catch(() => [])));
      return `${lines.flat().join("\n")}\n`;
    },
  };
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels === "" ? "" : `{${labels}}`} ${value}`;
}

function formatLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/["\\\n]/g, escapeCharacter)}"`)
    .join(",");
}

function escapeCharacter(character: string): string {
  return character === "\n" ? "\\n" : `\\${character}`;
}

function join(labels: string, label: string): string {
  return labels === "" ? label : `${labels},${label}`;
}
