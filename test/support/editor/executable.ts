#!/usr/bin/env node
// Replaces VS Code's executable under @vscode/test-electron: accepts the same flags and runs the tests in code-server.
import path from "node:path";
import { launchBrowser } from "./browser.ts";
import { openWorkbench, remoteUri, startCodeServer } from "./code-server.ts";

/** The time limit of all tests, to detect a hanging page. */
const limitMs = 600_000;

const flag = (name: string) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3) ?? "";
const workspace = process.argv.slice(2).find((arg) => path.isAbsolute(arg));
const handed = Object.entries(process.env).filter(([name]) => name.startsWith("CITEWELL_"));

// Exit with the parent process.
process.stdin.resume().once("end", () => process.exit(2));
process.exitCode = await run();
process.stdin.destroy();

async function run(): Promise<number> {
  const env = Object.fromEntries(handed.map(([name, value = ""]) => [name, value]));
  await using server = await startCodeServer({ forHostTests: true, env });
  const browser = await launchBrowser();
  try {
    return await new Promise<number>((resolve, reject) => {
      const fail = (reason: string) => reject(new Error(reason));
      const timer = setTimeout(fail, limitMs, `the tests had not ended after ${limitMs / 1000} s`);
      timer.unref();
      void server.exited.then(() => fail("code-server ended before the tests did"));
      browser.once("disconnected", () => fail("the browser ended before the tests did"));
      openWorkbench(browser, server, {
        workspace,
        payload: [
          ["extensionDevelopmentPath", remoteUri(server, flag("extensionDevelopmentPath"))],
          ["extensionTestsPath", remoteUri(server, flag("extensionTestsPath"))],
        ],
        async prepare(page) {
          page.once("crash", () => fail("the page crashed"));
          // VS Code's workbench calls these two functions if the window defines them.
          await page.exposeFunction("codeAutomationLog", () => {});
          await page.exposeFunction("codeAutomationExit", (code: number) => resolve(code));
        },
      }).catch(reject);
    });
  } catch (error) {
    process.stderr.write(`${String(error)}\n${await server.logTail()}\n`);
    return 2;
  } finally {
    await browser.close();
  }
}
