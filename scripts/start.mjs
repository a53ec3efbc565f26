// `npm start`: installs if needed, builds, and asks a real question without a key.
//   npm start                                    a question about a package that is already on disk
//   npm start -- "your question" -r path-or-url  yours
import { prepare, root, run } from "./prepare.mjs";
import path from "node:path";

const demo = ["-q", "How does safeParse report an error?", "-r", "npm:zod"];
const own = process.argv.slice(2);
const citewell = path.join(root, "dist", "citewell.mjs");

prepare();
const question = own.length === 0 ? demo : own[0]?.startsWith("-") ? own : ["-q", ...own];
process.stderr.write(`citewell: asking ${question.map((word) => JSON.stringify(word)).join(" ")}\n\n`);
run(process.execPath, [citewell, "ask", ...question, "--provider", "builtin", "--model", "extractive"], undefined, {
  stdio: "inherit",
  cwd: process.env.INIT_CWD ?? root,
});

process.stderr.write(`
Try next:
  npm start -- "How are routes matched?" -r npm:express            any package, repository URL or folder
  node dist/citewell.mjs add https://github.com/expressjs/express  keep it, then: ask -q "…" -r express
  node dist/citewell.mjs serve                                     the same over HTTP; README.md: how to connect a model
`);
