import { describe, expect, test } from "vitest";
import type { ConfigLocation } from "../../../server/config/config.ts";
import { configPaths } from "../../../server/config/paths.ts";

function check(location: Partial<ConfigLocation>, expected: Partial<ReturnType<typeof configPaths>>) {
  const base: ConfigLocation = { cwd: "/work", env: {}, platform: "linux", homeDirectory: "/home/ann" };
  expect(configPaths({ ...base, ...location })).toMatchObject(expected);
}

describe("paths of configuration and data", () => {
  test("the standard folders of the home directory", () => {
    check(
      {},
      {
        projectFile: "/work/citewell.config.jsonc",
        legacyDataDirectory: "/work/.citewell",
        globalFile: "/home/ann/.config/citewell/citewell.config.jsonc",
        dataDirectory: "/home/ann/.local/share/citewell",
        authFile: "/home/ann/.local/share/opencode/auth.json",
        connectionsFile: "/home/ann/.local/share/citewell/connections.json",
      },
    );
  });

  test("the same on macOS", () => {
    check(
      { platform: "darwin" },
      {
        globalFile: "/home/ann/.config/citewell/citewell.config.jsonc",
        dataDirectory: "/home/ann/.local/share/citewell",
        authFile: "/home/ann/.local/share/opencode/auth.json",
      },
    );
  });

  test("the XDG variables", () => {
    check(
      { env: { XDG_CONFIG_HOME: "/etc/ann", XDG_DATA_HOME: "/data/ann" } },
      {
        globalFile: "/etc/ann/citewell/citewell.config.jsonc",
        dataDirectory: "/data/ann/citewell",
        authFile: "/data/ann/opencode/auth.json",
      },
    );
  });

  test("an XDG variable that is relative or empty counts as unset", () => {
    check(
      { env: { XDG_CONFIG_HOME: "etc", XDG_DATA_HOME: "" } },
      {
        globalFile: "/home/ann/.config/citewell/citewell.config.jsonc",
        dataDirectory: "/home/ann/.local/share/citewell",
      },
    );
  });

  test("CITEWELL_HOME moves both, but not opencode's file", () => {
    check(
      { env: { CITEWELL_HOME: "sandbox", XDG_CONFIG_HOME: "/etc/ann" } },
      {
        globalFile: "/work/sandbox/citewell.config.jsonc",
        dataDirectory: "/work/sandbox/data",
        connectionsFile: "/work/sandbox/data/connections.json",
        authFile: "/home/ann/.local/share/opencode/auth.json",
      },
    );
  });

  test("Windows: the roaming and the local folder", () => {
    check(
      {
        platform: "win32",
        cwd: "D:\\my code",
        homeDirectory: "C:\\Users\\Zoë",
        env: { APPDATA: "C:\\Users\\Zoë\\AppData\\Roaming" },
      },
      {
        projectFile: "D:\\my code\\citewell.config.jsonc",
        globalFile: "C:\\Users\\Zoë\\AppData\\Roaming\\citewell\\citewell.config.jsonc",
        dataDirectory: "C:\\Users\\Zoë\\AppData\\Local\\citewell",
        authFile: "C:\\Users\\Zoë\\AppData\\Roaming\\opencode\\auth.json",
        connectionsFile: "C:\\Users\\Zoë\\AppData\\Local\\citewell\\connections.json",
      },
    );
  });
});
