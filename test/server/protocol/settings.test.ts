import path from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../../server/config/config.ts";
import { outline } from "../../../server/config/language/outline.ts";
import { silentLog } from "../../../server/lib/log.ts";
import { createLocalApp } from "../../../server/local-app.ts";
import { ConfigFile, ConfigSummary } from "../../../server/protocol/config.ts";
import { EditorSettings } from "../../../server/protocol/editor-settings.ts";
import {
  defaultSettings,
  mergeSettings,
  reportSettings,
  settingLabel,
  settingNames,
  WrittenSettings,
} from "../../../server/protocol/settings.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { settingSamples } from "../../support/setting-samples.ts";

const [inProject = {}, inGlobal = {}, overriding = {}] = settingSamples();

/** A project and a home whose files set these values. */
async function setUp({ project, global }: { project: object; global: object }) {
  const folder = await temporaryFolder(`//- project/citewell.config.jsonc
${JSON.stringify(project)}
//- home/.config/citewell/citewell.config.jsonc
${JSON.stringify(global)}
`);
  const location = {
    cwd: path.join(folder.path, "project"),
    homeDirectory: path.join(folder.path, "home"),
    env: {},
    platform: "linux",
  } as const;
  return { location, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test.each(settingNames)(
  "%s is read from the project's file, else from the global one, else it is the default",
  async (name) => {
    const [project, global] = [{ [name]: inProject[name] }, { [name]: inGlobal[name] }];
    await using both = await setUp({ project, global });
    await using one = await setUp({ project: {}, global });
    await using none = await setUp({ project: {}, global: {} });
    const [fromProject, fromGlobal, byDefault] = [
      await loadConfig(both.location),
      await loadConfig(one.location),
      await loadConfig(none.location),
    ];
    expect([fromProject[name], fromProject.sources[name]]).toEqual([inProject[name], "project"]);
    expect([fromGlobal[name], fromGlobal.sources[name]]).toEqual([inGlobal[name], "global"]);
    expect([byDefault[name], byDefault.sources[name]]).toEqual([defaultSettings[name], "default"]);
  },
);

test.each(settingNames)("%s can be overridden, and getConfig reports the value in force", async (name) => {
  await using home = await setUp({ project: inProject, global: inGlobal });
  let overrides = {};
  await using app = createLocalApp({ location: home.location, log: silentLog, overrides: () => overrides });
  const before = await app.getConfig({});
  overrides = WrittenSettings.parse({ [name]: overriding[name] });
  const after = await app.getConfig({});
  expect(before).toMatchObject({ ...inProject, sources: { [name]: "project" } });
  expect(after).toMatchObject({ ...inProject, [name]: overriding[name] });
  expect(ConfigSummary.parse(after)).toEqual(after);
});

test.each(settingNames)("%s is listed in the configuration's schema, outline and the editor's settings", (name) => {
  const isChosenElsewhere = name === "provider" || name === "model";
  const [symbol] = outline(JSON.stringify({ [name]: inProject[name] }));
  expect(ConfigFile.shape).toHaveProperty(name);
  expect(symbol).toMatchObject({ name, detail: String(inProject[name]) });
  expect(Object.hasOwn(EditorSettings.shape, name)).toBe(!isChosenElsewhere);
  expect(settingLabel(name)).not.toBe("");
});

test("a setting that is set nowhere and has no default is reported as null", () => {
  const reported = reportSettings(mergeSettings([{}, { maxSteps: undefined }]));
  expect(Object.keys(reported)).toEqual(settingNames);
  expect(reported).toMatchObject({ maxSteps: 40, maxTokens: null });
});

test("a later layer wins, and what is no setting is ignored", () => {
  const first = { maxSteps: 1, maxTokens: 5, resources: [] };
  expect(mergeSettings([first, { maxSteps: 2 }])).toEqual({ ...defaultSettings, maxSteps: 2, maxTokens: 5 });
});
