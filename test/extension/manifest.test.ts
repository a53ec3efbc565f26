import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";

const root = path.resolve(import.meta.dirname, "../..");
const read = (name: string) => readFileSync(path.join(root, name), "utf8");
const When = z.looseObject({ command: z.string(), when: z.string().optional() });
const Manifest = z.looseObject({
  categories: z.array(z.string()),
  keywords: z.array(z.string()),
  icon: z.string(),
  extensionKind: z.array(z.string()),
  activationEvents: z.array(z.string()),
  engines: z.object({ vscode: z.string() }).loose(),
  devDependencies: z.record(z.string(), z.string()),
  capabilities: z.object({
    untrustedWorkspaces: z.object({ supported: z.string(), restrictedConfigurations: z.array(z.string()) }).loose(),
    virtualWorkspaces: z.object({ supported: z.string() }).loose(),
  }),
  contributes: z.looseObject({
    commands: z.array(z.looseObject({ command: z.string(), category: z.string() })),
    views: z.record(z.string(), z.array(z.looseObject({ id: z.string(), icon: z.string() }))),
    viewsContainers: z.record(z.string(), z.array(z.unknown())),
    menus: z.record(z.string(), z.array(z.looseObject({ command: z.string().optional() }))),
    keybindings: z.array(When),
    configurationDefaults: z.looseObject({
      "remote.portsAttributes": z.record(z.string(), z.looseObject({ onAutoForward: z.string() })),
    }),
    configuration: z
      .object({
        properties: z.record(z.string(), z.looseObject({ order: z.number(), scope: z.string() })),
      })
      .loose(),
    walkthroughs: z.array(
      z.looseObject({
        steps: z.array(
          z.looseObject({
            description: z.string(),
            completionEvents: z.array(z.string()).min(1),
            media: z.object({ svg: z.string(), altText: z.string() }),
          }),
        ),
      }),
    ),
  }),
});

const manifestText = read("package.json");
const manifest = Manifest.parse(JSON.parse(manifestText));
const texts = z.record(z.string(), z.string()).parse(JSON.parse(read("package.nls.json")));
const { commands, keybindings, menus, views, walkthroughs, configuration } = manifest.contributes;
const commandIds = commands.map(({ command }) => command);

test("only what contributions do not imply activates the extension", () => {
  expect(manifest.activationEvents).toEqual(["onFileSystem:citewell", "onUri", "onWebviewPanel:citewell.chatEditor"]);
});

test("it asks for the editor whose types it is checked against, and for nothing that editor calls proposed", () => {
  expect(`^${manifest.devDependencies["@types/vscode"]}`).toBe(manifest.engines.vscode);
  expect(manifest).not.toHaveProperty("enabledApiProposals");
  expect(manifest).not.toHaveProperty("extensionDependencies");
});

test("it runs where the files are, and says what holds in workspaces that are not trusted or not on a disk", () => {
  expect(manifest.extensionKind).toEqual(["workspace"]);
  expect(manifest.capabilities.untrustedWorkspaces.supported).toBe("limited");
  expect(manifest.capabilities.virtualWorkspaces.supported).toBe("limited");
});

test("every setting has its place, and those that bound a question's cost are not a workspace's to decide before it is trusted", () => {
  const settings = Object.entries(configuration.properties);
  expect(settings.map(([, { order }]) => order)).toEqual(settings.map((_, index) => index));
  const bounds = settings.filter(([, { scope }]) => scope === "machine-overridable").map(([key]) => key);
  expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toEqual(bounds);
});

test("one container, three views at most, each with an icon", () => {
  expect(Object.values(manifest.contributes.viewsContainers).flat()).toHaveLength(1);
  expect(Object.values(views).flat().length).toBeLessThanOrEqual(3);
});

test("every command has the category Citewell, and every command of a menu or key exists", () => {
  expect([...new Set(commands.map(({ category }) => category))]).toEqual(["Citewell"]);
  const used = [...Object.values(menus).flat(), ...keybindings].flatMap(({ command }) => command ?? []);
  expect(used.filter((command) => command.startsWith("citewell.") && !commandIds.includes(command))).toEqual([]);
});

test("at most five keys, each of them only where it means something", () => {
  expect(keybindings.length).toBeLessThanOrEqual(5);
  expect(keybindings.filter(({ when }) => when === undefined)).toEqual([]);
});

test("every text of the manifest has its words, and no words are left over", () => {
  const used = new Set([...manifestText.matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key));
  expect(Object.keys(texts).filter((key) => !used.has(key))).toEqual([]);
  expect([...used].filter((key) => key !== undefined && !(key in texts))).toEqual([]);
});

test("one walkthrough of five steps at most; each has a button that runs a command of ours, and a picture in the theme's colours", () => {
  expect(walkthroughs).toHaveLength(1);
  const steps = walkthroughs.flatMap((walkthrough) => walkthrough.steps);
  expect(steps.length).toBeLessThanOrEqual(5);
  for (const { description, media } of steps) {
    const text = texts[description.slice(1, -1)] ?? "";
    const buttons = [...text.matchAll(/\]\(command:([\w.]+)/g)].map(([, command]) => command);
    expect(buttons.length).toBeGreaterThan(0);
    expect(commandIds).toEqual(expect.arrayContaining(buttons));
    const colours = read(media.svg).match(/(?:fill|stroke)="(?!none)[^"]*"/g) ?? [];
    expect(colours.filter((colour) => !colour.includes("var(--vscode-"))).toEqual([]);
  }
});

test("the marketplaces find it: categories, keywords, an icon of 128 pixels or more", () => {
  expect(manifest.categories).toEqual(["AI", "Chat"]);
  expect(manifest.keywords.length).toBeLessThanOrEqual(30);
  // Width and height stand at this place of every PNG (https://www.w3.org/TR/png-3/#11IHDR).
  const icon = readFileSync(path.join(root, manifest.icon));
  expect([icon.readUInt32BE(16), icon.readUInt32BE(20)]).toEqual([256, 256]);
});

test("the extension can be translated: l10n.t takes every sentence as a literal", () => {
  const sources = ["extension", "server/protocol/kinds"].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => path.join(folder, file)),
  );
  // This passes on the sentences of answerWords, which scripts/l10n.ts collects from their table.
  const tableReader = path.join("extension", "editor-language.ts");
  const calls = sources
    .filter((file) => /\.tsx?$/.test(file) && file !== tableReader)
    .flatMap((file) => [...read(file).matchAll(/\bl10n\.t\(\s*(.)/g)].map(([, first]) => first));
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.filter((first) => first !== '"')).toEqual([]);
});

test("the private port of the server's process is not forwarded in a remote window", () => {
  const { "remote.portsAttributes": attributes } = manifest.contributes.configurationDefaults;
  const rules = Object.entries(attributes);
  expect(rules.map(([, { onAutoForward }]) => onAutoForward)).toEqual(["ignore"]);
  // Matches the command line of a process that listens as the editor does.
  const isIgnored = (commandLine: string) => rules.some(([pattern]) => new RegExp(pattern).test(commandLine));
  expect(isIgnored("/opt/node /home/me/.vscode/extensions/citewell/dist/citewell.mjs lsp --node-ipc")).toBe(true);
  expect(isIgnored("node.exe c:\\ext\\citewell\\dist\\citewell.mjs lsp --node-ipc")).toBe(true);
  // Linux separates the arguments by NUL.
  expect(isIgnored("/opt/node\0/ext/dist/citewell.mjs\0lsp\0--node-ipc\0")).toBe(true);
  // A port that the user asked for is theirs.
  expect(isIgnored("node /usr/bin/citewell.mjs serve --port 8080")).toBe(false);
});
