import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** A route of the web pages, as its source has it. */
export interface PageRoute {
  method: string;
  /** The path with its parameters: `/p/:project/keys/:key/revoke`. */
  path: string;
  /** The names of the fields and parameters that its source file reads. */
  fields: string[];
}

const folder = path.resolve(import.meta.dirname, "../../server/hosted/pages");
/** Routes whose path is a constant; they have no parameters. */
const constants = ["callbackPath"];

/** All routes of the web pages, found in their source, so that a new one is not forgotten. */
export function pageRoutes(): PageRoute[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => {
      const text = readFileSync(path.join(folder, name), "utf8");
      const fields = [
        ...text.matchAll(
          /\bname(?:: |=)"(\w+)"|(?:fieldOf|valuesOf)\(request, "(\w+)"\)|query\["(\w+)"\]|(\w+): z\.string\(\)/g,
        ),
      ];
      const names = [...new Set(fields.flatMap((found) => found.slice(1).filter((field) => field !== undefined)))];
      return [...text.matchAll(/\brouter\.(\w+)\(\s*(?:"([^"]+)"|(\w+))/g)].flatMap(
        ([call, method = "", own, constant]) => {
          if (method === "use" || (constant !== undefined && constants.includes(constant))) return [];
          if (own === undefined) throw new Error(`the path of a route is not found: ${call}`);
          return [{ method, path: own, fields: names }];
        },
      );
    });
}
