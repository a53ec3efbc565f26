import { existsSync } from "node:fs";
import path from "node:path";

/** Ignored by git. */
const nodesFolder = process.env.CITEWELL_TEST_NODES ?? path.resolve(import.meta.dirname, "../../..", ".test-nodes");

/** The oldest Node that is supported, the lines with long-term support, and the newest. */
export const testedNodes = ["20.19.0", "22", "24", ">=25"];

const platforms = { win32: "win", linux: "linux", darwin: "darwin" };

/**
 * The makers of the npm package `node` publish a package for each platform. `node` itself runs a script to install it,
 * which npm may refuse.
 */
const platformPackage = `node-${platforms[process.platform] ?? process.platform}-${process.arch}`;

/** Where a version of Node is installed, the package it comes from, and its program. */
export function nodePlace(version) {
  const folder = path.join(nodesFolder, version.replace(/^>=/, "from-"));
  const program = process.platform === "win32" ? "node.exe" : "node";
  return {
    folder,
    packageName: `${platformPackage}@${version}`,
    file: path.join(folder, "node_modules", platformPackage, "bin", program),
  };
}

/** The programs of the tested versions that are installed. */
export function installedNodes() {
  return testedNodes.map((version) => nodePlace(version).file).filter((file) => existsSync(file));
}
