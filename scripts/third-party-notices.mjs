import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./prepare.mjs";

/**
 * The licences of all bundled packages, as their terms require.
 * @param {readonly import("esbuild").Metafile[]} metafiles
 */
export function thirdPartyNotices(metafiles) {
  const files = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
    ),
  );
  const folders = new Set(files.flatMap(([file]) => packageFolder(file) ?? []));
  const notices = [...folders].map(noticeOf).sort((a, b) => (a.title < b.title ? -1 : 1));
  const own = "Citewell contains the following packages, each under its own licence.";
  return `${[own, ...notices.map(({ title, text }) => `${title}\n${"-".repeat(title.length)}\n${text}`)].join("\n\n\n")}\n`;
}

/** The packages that a text of `thirdPartyNotices` names: `{ name, version, license }`. */
export function readNotices(text) {
  return [...text.matchAll(/^(?<name>\S+) (?<version>\S+) \((?<license>.+)\)\n-+$/gm)].map(({ groups }) => ({
    ...groups,
  }));
}

/** The package folder of a file: `node_modules/a/node_modules/@b/c`. */
function packageFolder(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

function noticeOf(folder) {
  const directory = path.join(root, folder);
  const {
    name,
    version,
    license = "see its repository",
    repository,
  } = JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8"));
  const texts = readdirSync(directory)
    .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file) && existsSync(path.join(directory, file)))
    .map((file) => readFileSync(path.join(directory, file), "utf8").trim());
  const address = typeof repository === "string" ? repository : (repository?.url ?? "");
  return {
    title: `${name} ${version} (${license})`,
    text: texts.join("\n\n") || `Licence: ${license} ${address}`.trim(),
  };
}
