import { formatEvent, type Log } from "../../lib/log.ts";

/** Sends a line to the client at a level; the `console` of a connection. */
type ClientConsole = Record<keyof Log, (line: string) => void>;

/** A log whose lines go to the client, each with its level: the client shows those that are wanted. */
export function clientLog({ console }: { console: ClientConsole }): Log {
  const at =
    (level: keyof Log): Log[typeof level] =>
    (event, fields) => {
      try {
        console[level](formatEvent(event, fields));
      } catch {
        // A closed connection throws; it has no reader, and logging must not fail.
      }
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
