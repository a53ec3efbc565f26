import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Options of a generated tree. `firstLine` makes each copy unique, because equal texts are indexed once. */
export interface PackageTree {
  treeBytes: number;
  largestFileBytes: number;
  firstLine: (copy: number, index: number, fileCount: number) => string;
}

/** Writes copies of the installed packages' sources until the tree has `treeBytes`. */
export function writePackageTree(tree: string, { treeBytes, largestFileBytes, firstLine }: PackageTree): void {
  const root = path.resolve("node_modules");
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:[cm]?[jt]s|json|md)$/.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith(".") && statSync(path.join(root, file)).size < largestFileBytes)
    .sort();
  let written = 0;
  for (let copy = 0; written < treeBytes; copy++) {
    for (const [index, file] of files.entries()) {
      if (written >= treeBytes) break;
      const to = path.join(tree, `copy-${copy}`, file.replaceAll("node_modules", "packages"));
      const text = `${firstLine(copy, index, files.length)}\n${readFileSync(path.join(root, file), "utf8")}`;
      mkdirSync(path.dirname(to), { recursive: true });
      writeFileSync(to, text);
      written += text.length;
    }
  }
}
