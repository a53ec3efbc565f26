import * as vscode from "vscode";
import type { RefreshEvent } from "../../../server/protocol/resource.ts";
import type { Changes, Server } from "../../context.ts";
import { resourcesView } from "./rows.ts";

/** Fetches resources anew, a few at a time, and knows which of them it is at. */
export interface Refresher extends vscode.Disposable {
  /** The operation in progress for a resource, in words; undefined if there is none. */
  progressOf(name: string): string | undefined;
  /** The name of a resource whose progress has changed. */
  readonly onDidChange: vscode.Event<string>;
  /**
   * Never rejects: each resource has its own outcome, in the order of the names. One that is at it already is left out.
   */
  refresh(names: readonly string[]): Promise<Outcome[]>;
  /** Stops one, or all. */
  stop(name?: string): void;
}

export interface Outcome {
  name: string;
  /** Undefined where it succeeded. */
  error?: unknown;
}

/** A connection and a disk serve about this many clones at once well. */
const parallelLimit = 4;
/** A row is drawn anew at most this often. */
const drawEveryMs = 200;

/** Creates the refresh of resources, with progress and a way to stop it. */
export function createRefresher({
  server,
  changes,
}: {
  server: Pick<Server, "request">;
  changes: Pick<Changes, "fire">;
}): Refresher {
  const running = new Map<string, { progress: string; source: vscode.CancellationTokenSource }>();
  const changed = new vscode.EventEmitter<string>();

  const setRunning = async () =>
    vscode.commands.executeCommand("setContext", "citewell.isRefreshing", running.size > 0);

  const refreshOne = async (name: string): Promise<Outcome> => {
    const state = running.get(name);
    if (state === undefined) return { name };
    let drawnAt = 0;
    const onEvent = (event: RefreshEvent) => {
      if (event.type === "done") return;
      state.progress = describeProgress(event);
      if (Date.now() - drawnAt < drawEveryMs) return;
      drawnAt = Date.now();
      changed.fire(name);
    };
    try {
      await server.request("refreshResource", { name }, { token: state.source.token, onEvent });
      return { name };
    } catch (error) {
      return { name, error };
    } finally {
      running.delete(name);
      state.source.dispose();
      changed.fire(name);
    }
  };

  return {
    progressOf: (name) => running.get(name)?.progress,
    onDidChange: changed.event,
    async refresh(names) {
      const fresh = names.filter((name) => !running.has(name));
      for (const name of fresh) {
        running.set(name, { progress: vscode.l10n.t("waiting"), source: new vscode.CancellationTokenSource() });
        changed.fire(name);
      }
      const outcomes = new Map<string, Outcome>();
      const queue = [...fresh];
      const work = async () => {
        for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
          outcomes.set(name, await refreshOne(name));
        }
      };
      await setRunning();
      await vscode.window.withProgress({ location: { viewId: resourcesView } }, async () => {
        await Promise.all(Array.from({ length: parallelLimit }, work));
      });
      await setRunning();
      changes.fire("resources");
      return fresh.map((name) => outcomes.get(name) ?? { name });
    },
    stop(name) {
      for (const [key, { source }] of running) if (name === undefined || key === name) source.cancel();
    },
    dispose() {
      for (const { source } of running.values()) source.cancel();
      changed.dispose();
    },
  };
}

function describeProgress({ message, fraction }: Extract<RefreshEvent, { type: "progress" }>): string {
  if (fraction === undefined) return message;
  const percent = new Intl.NumberFormat(vscode.env.language, { style: "percent" }).format(fraction);
  return vscode.l10n.t("{0}, {1}", message, percent);
}
