// Runs the official conformance suite as often as it is asked to in one process, as loading it takes longer than a
// scenario. The suite is a program: each run is a new copy of its module, with the arguments that a line of the input has.
import { register } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

// It imports `globSync`, which Node 20 does not have and no scenario of ours needs.
const fs = "data:text/javascript,export*from'node:fs';export const globSync=undefined;";
const hooks = `export const resolve = (specifier, context, next) =>
  specifier === "fs" ? { url: ${JSON.stringify(fs)}, shortCircuit: true } : next(specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

const program = process.argv[2];
let runs = 0;
for await (const line of createInterface(process.stdin)) process.send(await run(JSON.parse(line)));

/** What the program wrote until it ended, and its exit code. */
async function run(args) {
  let output = "";
  for (const method of ["log", "error"]) console[method] = (...parts) => void (output += `${parts.join(" ")}\n`);
  process.argv = [process.execPath, program, ...args];
  const ended = new Promise((resolve) => {
    process.exit = resolve;
  });
  await import(`${pathToFileURL(program).href}?run=${(runs += 1)}`);
  return { code: await ended, output };
}
