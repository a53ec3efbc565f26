/** A structured log: `log.info("snapshot-opened", { resource, ms })`. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}
/** The fields of an event, without secrets. */
export type LogFields = Record<string, unknown>;

/** Levels in ascending order. */
const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
/** The lowest level that is written; `silent` writes nothing. */
export type LogLevel = (typeof logLevels)[number];

/** How an event becomes a line: for people, or as a JSON object with `time`, `level`, `event` and the fields. */
export type LogFormat = "text" | "json";

/** Creates a log that passes one line per event of `level` or above to `write`. */
export function createLog(level: LogLevel, write: (line: string) => void, format: LogFormat = "text"): Log {
  const at =
    (own: LogLevel) =>
    (event: string, fields: LogFields = {}) => {
      if (logLevels.indexOf(own) < logLevels.indexOf(level)) return;
      const time = new Date().toISOString();
      if (format === "json") write(`${JSON.stringify({ time, level: own, event, ...fields }, replaceError)}\n`);
      else write(`${time} ${own} ${formatEvent(event, fields)}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Formats an event without time and level: `snapshot-opened resource=svelte ms=12`. */
export function formatEvent(event: string, fields: LogFields = {}): string {
  const details = Object.entries(fields).map(([key, value]) => ` ${key}=${formatValue(value)}`);
  return `${event}${details.join("")}`;
}

/** A log that writes nothing. */
export const silentLog: Log = createLog("silent", () => {});

/** Returns a log that adds fields to each line. */
export function withFields(log: Log, extra: LogFields): Log {
  if (Object.keys(extra).length === 0) return log;
  return {
    debug: (event, fields) => log.debug(event, { ...extra, ...fields }),
    info: (event, fields) => log.info(event, { ...extra, ...fields }),
    warn: (event, fields) => log.warn(event, { ...extra, ...fields }),
    error: (event, fields) => log.error(event, { ...extra, ...fields }),
  };
}

function replaceError(_key: string, value: unknown): unknown {
  return value instanceof Error ? (value.stack ?? value.message) : value;
}

function formatValue(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(replaceError("", value));
  return typeof value === "string" && /^[\w./:@-]+$/.test(value) ? value : (JSON.stringify(value) ?? String(value));
}
