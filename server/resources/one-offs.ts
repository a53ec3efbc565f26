import { CitewellError } from "../errors.ts";
import { createSharedTasks } from "../lib/shared-tasks.ts";
import { hydrate, readStored, removeFolder, resolveRevision } from "./hydrate.ts";
import { openStored, type StoredTree } from "./shelf.ts";
import type { OnProgress, Progress, Source } from "./source.ts";

/** Trees that live as long as someone reads them; questions that run at once share one. */
export interface OneOffs {
  open(
    source: Source,
    options: { signal?: AbortSignal | undefined; onProgress?: OnProgress | undefined },
  ): Promise<StoredTree>;
}

export function createOneOffs({ directory, now }: { directory: string; now: () => number }): OneOffs {
  const fetches = createSharedTasks<string, Progress>();
  const inUse = new Map<string, { users: number; folder?: string }>();

  return {
    async open(source, { signal, onProgress }) {
      const shared = inUse.get(source.key) ?? { users: 0 };
      inUse.set(source.key, shared);
      shared.users++;
      const leave = async () => {
        shared.users--;
        if (shared.users > 0) return;
        inUse.delete(source.key);
        if (shared.folder !== undefined) await removeFolder(shared.folder);
      };
      try {
        shared.folder ??= await fetches.run(
          source.key,
          ({ signal, report }) => fetchNewest(source, { signal, onProgress: report }),
          { signal, onReport: onProgress },
        );
        const stored = await readStored(shared.folder);
        if (stored === undefined) throw new CitewellError("StorageFailed", `${shared.folder} was removed while in use`);
        return openStored(shared.folder, stored, leave);
      } catch (error) {
        await leave();
        throw error;
      }
    },
  };

  async function fetchNewest(
    source: Source,
    options: { signal: AbortSignal; onProgress: OnProgress },
  ): Promise<string> {
    const revision = await resolveRevision(source, options);
    return hydrate(source, { directory, revision, now, ...options });
  }
}
