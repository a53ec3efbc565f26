// The conformance suite imports `globSync`, which Node 20 does not have and no scenario of ours needs.
import { register } from "node:module";

const fs = "data:text/javascript,export*from'node:fs';export const globSync=undefined;";
const hooks = `export const resolve = (specifier, context, next) =>
  specifier === "fs" ? { url: ${JSON.stringify(fs)}, shortCircuit: true } : next(specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
