import path from "node:path";
import { temporaryFolder } from "./folder.ts";
import { openTerminal } from "./screen.ts";
import { scriptedModel, type ScriptedStep } from "./scripted-model.ts";

/** What a terminal sends for keys. */
export const keys = {
  enter: "\r",
  escape: "\u001B",
  tab: "\t",
  up: "\u001B[A",
  down: "\u001B[B",
  pageUp: "\u001B[5~",
  altEnter: "\u001B\r",
  ctrl: (letter: string) => String.fromCharCode(letter.charCodeAt(0) - 96),
} as const;
/** A step that reads the file of `cited`. */
export const reads = { toolCalls: [{ name: "read", input: { path: "a.ts" } }] };
/** An answer with two verified citations. */
export const cited = "It is **100** ms [[demo:a.ts#L1]], see [[demo:a.ts#L2]].";

interface StartOptions {
  args?: string[];
  /** The path below the home folder. */
  cwd?: string;
  prompt?: RegExp;
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
}

/** Two folders, `demo` and `other`, and a scripted model; `start` opens the conversation in them. */
export async function tuiWorld(
  script: readonly ScriptedStep[] | Parameters<typeof scriptedModel>[0],
  options: Parameters<typeof scriptedModel>[1] = {},
) {
  const folder = await temporaryFolder(
    "//- demo/a.ts\nexport const delayMs = 100;\nexport const retries = 3;\n//- other/b.ts\nexport {};\n",
  );
  const model = await scriptedModel(script, options);
  const resources = ["demo", "other"].map((name) => ({ type: "local", name, path: path.join(folder.path, name) }));
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify({ ...model.config, resources })}`);
  const home = { HOME: folder.path, CITEWELL_HOME: path.join(folder.path, ".home") };
  return {
    folder,
    model,
    async start({ args = [], cwd = ".", prompt = /^❯/m, env, ...options }: StartOptions = {}) {
      const screen = openTerminal(args, { ...options, cwd: path.join(folder.path, cwd), env: { ...home, ...env } });
      await screen.shows(prompt);
      return Object.assign(screen, {
        ask: (question: string) => screen.type(`${question}${keys.enter}`),
      });
    },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
