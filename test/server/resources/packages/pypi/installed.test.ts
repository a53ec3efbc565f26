import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { environment, type PypiPublication } from "../../../../support/pypi-index.ts";
import { pypiWorkspace } from "../../../../support/pypi-workspace.ts";

const requests: PypiPublication = {
  name: "requests",
  version: "2.32.3",
  files: { "requests/__init__.py": "VERSION = 2\n", "requests/sessions.py": "class Session: ...\n" },
};
const yaml: PypiPublication = { name: "PyYAML", version: "6.0.2", files: { "yaml/__init__.py": "def load(): ...\n" } };

async function paths(options: Parameters<typeof pypiWorkspace>[0], name: string, version?: string) {
  await using workspace = await pypiWorkspace(options);
  await using snapshot = await workspace.open({ name: "it", package: name, version });
  return { label: snapshot.info.label, files: snapshot.files.map((file) => file.path) };
}

describe("an installed package", () => {
  test("is read in place, without the other packages of the folder", async () => {
    const files = environment("project/.venv", [requests, yaml]);
    expect(await paths({ files }, "requests")).toEqual({
      label: "requests 2.32.3 (installed in .venv)",
      files: ["requests-2.32.3.dist-info/METADATA", "requests/__init__.py", "requests/sessions.py"],
    });
  });

  test.each(["pyyaml", "PyYAML", "PYYAML"])("is found as %s", async (name) => {
    const { label } = await paths({ files: environment("project/.venv", [yaml]) }, name);
    expect(label).toBe("PyYAML 6.0.2 (installed in .venv)");
  });

  test("is found by the module that it has", async () => {
    const files = environment("project/.venv", [requests, yaml]);
    expect(await paths({ files }, "yaml")).toMatchObject({
      label: "PyYAML 6.0.2 (installed in .venv as yaml)",
      files: ["PyYAML-6.0.2.dist-info/METADATA", "yaml/__init__.py"],
    });
  });

  test.each([
    ["google.cloud.storage", "google-cloud-storage"],
    ["google.cloud.storage.client", "google-cloud-storage"],
    ["google.auth", "google-auth"],
  ])("of a namespace: %s is in %s", async (module, name) => {
    const files = environment("project/.venv", [
      { name: "google-auth", version: "2.0", files: { "google/auth/__init__.py": "" } },
      { name: "google-cloud-storage", version: "3.0", files: { "google/cloud/storage/client.py": "" } },
      { name: "google-cloud-core", version: "4.0", files: { "google/cloud/client.py": "" } },
    ]);
    expect((await paths({ files }, module)).label).toContain(`${name} `);
  });

  test("is found above the folder, in the active environment, and in that of Poetry", async () => {
    const above = `${environment("project/venv", [requests])}//- project/.git/HEAD\n`;
    expect((await paths({ files: above, cwd: "project/deep/er" }, "requests")).label).toContain(
      "installed in ../../venv",
    );
    const active = environment("elsewhere/tools", [requests]);
    const env = (root: string) => ({ VIRTUAL_ENV: path.join(root, "elsewhere", "tools") });
    expect((await paths({ files: active, env }, "requests")).label).toContain("installed in tools");
  });

  test("that is asked for in another version is fetched, and the answer says which is installed", async () => {
    await using workspace = await pypiWorkspace({ files: environment("project/.venv", [requests]) });
    const spec = { name: "it", package: "requests", version: "2.0.0" };
    const signal = new AbortController().signal;
    expect(await workspace.npm.openStored(spec, { signal })).toBeUndefined();
    expect(await workspace.npm.openStored({ ...spec, version: "2.32.3" }, { signal })).toBeDefined();
  });

  test("in a folder without pyvenv.cfg is none", async () => {
    const files = environment("project/.venv", [requests]).replace("pyvenv.cfg", "other.cfg");
    await using workspace = await pypiWorkspace({ files });
    const signal = new AbortController().signal;
    expect(await workspace.npm.openStored({ name: "it", package: "requests" }, { signal })).toBeUndefined();
  });

  test("of a service's tenant is not looked for", async () => {
    await using workspace = await pypiWorkspace({ files: environment("project/.venv", [requests]), isAnonymous: true });
    const signal = new AbortController().signal;
    expect(await workspace.npm.openStored({ name: "it", package: "requests" }, { signal })).toBeUndefined();
  });

  test("whose list of files leaves the folder is read without them, and so are links out", async () => {
    const hostile = { ...requests, files: { ...requests.files, "requests/real.py": "" } };
    const text = environment("project/.venv", [hostile]).replace(
      "requests/real.py,,\n",
      "requests/real.py,,\n../../../../../home/secret.py,,\n/etc/passwd,,\nrequests/link.py,,\nrequests/out/secret.py,,\n",
    );
    await using workspace = await pypiWorkspace({ files: `${text}//- home/secret.py\nTOKEN = 1\n` });
    const site = path.join(workspace.folder.path, "project/.venv/lib/python3.12/site-packages/requests");
    await symlink(path.join(workspace.folder.path, "home/secret.py"), path.join(site, "link.py"));
    await symlink(path.join(workspace.folder.path, "home"), path.join(site, "out"));
    await using snapshot = await workspace.open({ name: "it", package: "requests" });
    expect(snapshot.files.map((file) => file.path).filter((file) => !file.includes("dist-info"))).toEqual([
      "requests/__init__.py",
      "requests/real.py",
      "requests/sessions.py",
    ]);
  });
});

describe("an editable installation", () => {
  const direct = (root: string, folder: string) =>
    JSON.stringify({ url: pathToFileURL(path.join(root, folder)).href, dir_info: { editable: true } });

  test("is read where its source is", async () => {
    await using workspace = await pypiWorkspace({
      files: `${environment("project/.venv", [{ name: "mine", version: "0.1", files: { "__editable__.mine.pth": "" } }])}
//- lib/pyproject.toml
[project]
//- lib/mine/__init__.py
answer = 42
//- lib/.venv/pyvenv.cfg
//- lib/.venv/other.py
no = 1
`,
    });
    const root = workspace.folder.path;
    await workspace.folder.write(`//- project/.venv/lib/python3.12/site-packages/mine-0.1.dist-info/direct_url.json
${direct(root, "lib")}
`);
    const site = "project/.venv/lib/python3.12/site-packages/mine-0.1.dist-info";
    await workspace.folder.write(`//- ${site}/top_level.txt\nmine_module\n`);
    await using byModule = await workspace.open({ name: "it", package: "mine_module" });
    expect(byModule.info.label).toBe("mine 0.1 (installed in .venv, editable as mine_module)");
    await using snapshot = await workspace.open({ name: "it", package: "mine" });
    expect(snapshot.info.label).toBe("mine 0.1 (installed in .venv, editable)");
    expect(snapshot.files.map((file) => file.path)).toEqual(["mine/__init__.py", "pyproject.toml"]);
  });

  test("in a folder that is no Python project is not read there", async () => {
    await using workspace = await pypiWorkspace({
      files: `${environment("project/.venv", [{ name: "mine", version: "0.1" }])}//- home/.ssh/id\nSECRET\n`,
    });
    const root = workspace.folder.path;
    await mkdir(path.join(root, "home", ".ssh"), { recursive: true });
    await workspace.folder.write(`//- project/.venv/lib/python3.12/site-packages/mine-0.1.dist-info/direct_url.json
${direct(root, "home")}
`);
    await using snapshot = await workspace.open({ name: "it", package: "mine" });
    expect(snapshot.files.map((file) => file.path)).not.toContain(".ssh/id");
  });
});
