import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { packEntries } from "../../../../support/npm-registry.ts";
import { packDistribution, type PypiIndex, startPypiIndex } from "../../../../support/pypi-index.ts";
import { pypiWorkspace } from "../../../../support/pypi-workspace.ts";
import { packZip } from "../../../../support/zip.ts";

type Options = Parameters<typeof pypiWorkspace>[0];

/** The label and the files; or the error and what it left. */
async function outcome(options: Options, version?: string): Promise<string[]> {
  await using workspace = await pypiWorkspace(options);
  try {
    await using snapshot = await workspace.open({ name: "it", package: "demo", version });
    return [snapshot.info.label.replace(", fetched just now", ""), ...snapshot.files.map((file) => file.path)];
  } catch (error) {
    const { tag, error: message } = toErrorBody(error);
    return [`${tag}: ${message}`, ...(await workspace.kept())].map((line) =>
      line.replaceAll(/127\.0\.0\.1:\d+/g, "<host>"),
    );
  }
}

const authorizations = (index: PypiIndex) => index.requests.map(({ headers }) => headers.authorization);
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
const latest = "demo 1.0 (latest in the registry)";

describe.each(["json", "html"] as const)("an index in %s", (format) => {
  test("gives the newest release that is neither withdrawn nor a pre-release, as what is installed", async () => {
    await using index = await startPypiIndex({ format });
    index.publish({ name: "demo", version: "1.10", filename: "demo-1.10.tar.gz" });
    index.publish({ name: "demo", version: "1.10" });
    index.publish({ name: "demo", version: "1.0" });
    index.publish({ name: "demo", version: "1.9" });
    index.publish({ name: "demo", version: "2.0", yanked: true });
    index.publish({ name: "demo", version: "3.0b1" });
    expect(await outcome({ index })).toEqual([
      "demo 1.10 (latest in the registry)",
      ".citewell-package/README.md",
      ".citewell-package/metadata.json",
      ".citewell-package/page.md",
      "demo-1.10.dist-info/METADATA",
      "demo/__init__.py",
    ]);
    expect(await outcome({ index }, "2.0")).toContain("demo 2.0 (from the registry)");
    expect(await outcome({ index }, ">1.9,<2")).toContain("demo 1.10 (>1.9,<2 in the registry)");
    expect(await outcome({ index }, "1")).toContain("demo 1.10 (1 in the registry)");
    expect(await outcome({ index }, "7.0")).toEqual(['VersionNotFound: demo has no version "7.0"']);
  });

  test("gives the sources where the wheels have compiled code", async () => {
    await using index = await startPypiIndex({ format });
    index.publish({ name: "demo", version: "1.0", filename: "demo-1.0-cp312-cp312-manylinux_2_17_x86_64.whl" });
    index.publish({ name: "demo", version: "1.0", filename: "demo-1.0.tar.gz" });
    expect(await outcome({ index })).toEqual([
      latest,
      ".citewell-package/README.md",
      ".citewell-package/metadata.json",
      ".citewell-package/page.md",
      "PKG-INFO",
      "setup.py",
      "src/demo/__init__.py",
    ]);
  });
});

test("what was fetched answers without the index", async () => {
  await using index = await startPypiIndex();
  index.publish({ name: "demo", version: "1.0" });
  await using workspace = await pypiWorkspace({ index });
  await (await workspace.open({ name: "it", package: "demo", version: "1.0" }))[Symbol.asyncDispose]();
  await index.stop();
  await using snapshot = await workspace.open({ name: "it", package: "demo", version: "1.0" });
  expect((await snapshot.read("demo/__init__.py")).text).toBe('VERSION = "1.0"\n');
});

test("a package that no index has is not found; a page that is none is said to be so", async () => {
  await using index = await startPypiIndex();
  expect(await outcome({ index })).toEqual(['PackageNotFound: no package "demo" on <host>']);
  index.intercept((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end('{"sign":"in"}');
    return true;
  });
  expect(await outcome({ index })).toEqual(["RegistryFailed: <host> did not answer with the files of demo"]);
});

describe("an archive is refused", () => {
  const publishing = async (filename: string, bytes: Uint8Array, more = {}) => {
    await using index = await startPypiIndex();
    index.publish({ name: "demo", version: "1.0", filename, bytes, ...more });
    return await outcome({ index });
  };
  const wheel = "demo-1.0-py3-none-any.whl";

  test.each(["../out.py", "/etc/out.py", "a/../../out.py", "C:\\out.py", "..\\out.py"])(
    "a wheel with %s",
    async (path) => {
      const bytes = packZip([
        { path: "demo/__init__.py", content: "" },
        { path, content: "evil" },
      ]);
      expect(await publishing(wheel, bytes)).toEqual([
        `PackageUnreadable: the archive of demo 1.0 cannot be unpacked: it has an entry that leaves its folder: ${JSON.stringify(path)}`,
      ]);
    },
  );

  test.each(["demo-1.0/../../out.py", "/etc/out.py"])("a source archive with %s", async (path) => {
    const bytes = packEntries([
      { path: "demo-1.0/a.py", content: "" },
      { path, content: "evil" },
    ]);
    expect(await publishing("demo-1.0.tar.gz", bytes)).toEqual([
      `PackageUnreadable: the tarball of demo 1.0 has an entry that leaves its folder: ${JSON.stringify(path)}`,
    ]);
  });

  test("that unpacks to more than any package needs", async () => {
    const bytes = packZip([{ path: "bomb.py", content: "x", size: 3 * 1024 ** 3, method: 8 }]);
    expect(await publishing(wheel, bytes)).toEqual([
      "PackageUnreadable: the archive of demo 1.0 cannot be unpacked: it unpacks to more than any package needs",
    ]);
  });

  test("whose checksum is not the one in the index", async () => {
    const bytes = packDistribution({ name: "demo", version: "1.0", filename: wheel });
    expect(await publishing(wheel, bytes, { hashes: { sha256: "0".repeat(64) } })).toEqual([
      "IntegrityMismatch: <host>/files/demo-1.0-py3-none-any.whl does not match its checksum",
    ]);
  });

  test.each([{}, { md5: "0".repeat(32) }])("without a checksum that is trusted: %j", async (hashes) => {
    const bytes = packDistribution({ name: "demo", version: "1.0", filename: wheel });
    expect(await publishing(wheel, bytes, { hashes })).toEqual([
      "RegistryFailed: demo 1.0 has no file with a checksum on the index",
    ]);
  });

  test("not because of links, which are skipped, nor of code that would run: it is text", async () => {
    const bytes = packZip([
      { path: "demo/__init__.py", content: "" },
      { path: "demo/link", content: "/etc/passwd", mode: 0o120777 },
      { path: "evil.pth", content: "import os; os.abort()\n" },
    ]);
    const files = await publishing(wheel, bytes);
    expect(files).toEqual(expect.arrayContaining([latest, "demo/__init__.py", "evil.pth"]));
    expect(files).not.toContain("demo/link");
  });
});

describe("credentials", () => {
  test.each([
    ["of PIP_INDEX_URL", (host: string) => ({ env: () => ({ PIP_INDEX_URL: `http://me:s%40crets@${host}/simple` }) })],
    [
      "of pip.conf",
      (host: string) => ({
        files: `//- home/.config/pip/pip.conf\n[global]\nindex-url = http://me:s%40crets@${host}/simple/\n`,
      }),
    ],
    [
      "of .netrc",
      (host: string) => ({
        env: () => ({ PIP_INDEX_URL: `http://${host}/simple/` }),
        files: "//- home/.netrc\nmachine 127.0.0.1\nlogin me\npassword s@crets\n",
      }),
    ],
    [
      "of an index that uv names",
      (host: string) => ({
        env: () => ({ UV_INDEX_CORP_USERNAME: "me", UV_INDEX_CORP_PASSWORD: "s@crets" }),
        files: `//- home/.config/uv/uv.toml\n[[index]]\nname = "corp"\nurl = "http://${host}/simple"\ndefault = true\n`,
      }),
    ],
  ])("%s are sent with every request to its host", async (_, options) => {
    await using index = await startPypiIndex();
    index.publish({ name: "demo", version: "1.0" });
    index.requireAuthorization(basic("me:s@crets"));
    expect((await outcome(options(index.host)))[0]).toBe(latest);
    expect(authorizations(index)).toEqual(Array(3).fill(basic("me:s@crets")));
  });

  test.each(["http://me:s%40crets@h:x/simple", "http://me:s@crets@h:x/simple"])(
    "are not named with an index that is no URL: %s",
    async (url) => {
      const [message] = await outcome({ env: () => ({ PIP_INDEX_URL: url }) });
      expect(message).toBe('RegistryFailed: the package index "http://h:x/simple" is not a URL');
    },
  );

  test("may have a percent sign that begins no code", async () => {
    await using index = await startPypiIndex();
    index.publish({ name: "demo", version: "1.0" });
    index.requireAuthorization(basic("me:100%s"));
    expect((await outcome({ env: () => ({ PIP_INDEX_URL: `http://me:100%s@${index.host}/simple` }) }))[0]).toBe(latest);
  });

  test("are not sent to another host, which the index names for a file", async () => {
    await using index = await startPypiIndex();
    await using files = await startPypiIndex();
    files.publish({ name: "demo", version: "1.0" });
    const bytes = packDistribution({ name: "demo", version: "1.0", filename: "demo-1.0-py3-none-any.whl" });
    index.publish({ name: "demo", version: "1.0", bytes, url: `http://${files.host}/files/demo-1.0-py3-none-any.whl` });
    expect((await outcome({ env: () => ({ PIP_INDEX_URL: `http://me:secret@${index.host}/simple` }) }))[0]).toBe(
      latest,
    );
    expect(authorizations(index)).toEqual([basic("me:secret"), basic("me:secret")]);
    expect(authorizations(files)).toEqual([undefined]);
  });

  test.each([
    [
      "the environment's variables for a name",
      '[[tool.uv.index]]\nname = "corp"\nurl = "http://HOST/simple"\ndefault = true\n',
    ],
    ["the default entry of .netrc", '[[tool.poetry.source]]\nname = "corp"\nurl = "http://HOST/simple"\n'],
  ])("of the user do not follow a project's index: %s", async (_, toml) => {
    await using index = await startPypiIndex();
    index.publish({ name: "demo", version: "1.0" });
    const [label] = await outcome({
      env: () => ({ UV_INDEX_CORP_USERNAME: "me", UV_INDEX_CORP_PASSWORD: "secret" }),
      files: `//- project/pyproject.toml\n${toml.replace("HOST", index.host)}//- home/.netrc\ndefault login me password secret\n`,
    });
    expect(label).toBe(latest);
    expect(authorizations(index)).toEqual([undefined, undefined, undefined]);
  });

  test("in a variable of a project's index are not filled in", async () => {
    const files = '//- project/Pipfile\n[[source]]\nname = "x"\nurl = "https://${TOKEN}@index.example/simple"\n';
    expect(await outcome({ files, env: () => ({ TOKEN: "secret" }) })).toEqual([
      "RegistryFailed: the package index https://index.example/simple names a variable",
    ]);
  });

  test("missing: the answer says how to sign in", async () => {
    await using index = await startPypiIndex();
    index.requireAuthorization("none");
    expect(await outcome({ index })).toEqual(["RegistryFailed: <host> refuses demo (401)"]);
  });
});

test("plain HTTP is for hosts of the user's own configuration", async () => {
  const files =
    '//- project/pyproject.toml\n[[tool.uv.index]]\nname = "x"\nurl = "http://index.example/simple"\ndefault = true\n';
  expect(await outcome({ files })).toEqual([
    "RegistryFailed: the package index http://index.example is not reached over https",
  ]);
});

test("of several indexes the first that has the package is used, so that a public one replaces no private one", async () => {
  await using own = await startPypiIndex();
  await using usual = await startPypiIndex();
  own.publish({ name: "demo", version: "1.0" });
  usual.publish({ name: "demo", version: "9.0" });
  const env = () => ({ PIP_INDEX_URL: usual.url, PIP_EXTRA_INDEX_URL: own.url });
  expect((await outcome({ env }))[0]).toBe(latest);
  expect(usual.requests).toEqual([]);
  await using none = await startPypiIndex();
  expect((await outcome({ env: () => ({ PIP_INDEX_URL: own.url, PIP_EXTRA_INDEX_URL: none.url }) }))[0]).toBe(latest);
});
