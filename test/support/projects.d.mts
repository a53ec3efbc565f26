export type Project = "editor" | "browser" | "hosted" | "cli" | "core";
export const projects: readonly Project[];
export function testFiles(): { file: string; project: Project }[];

/** Files that need more than Node and the repository, by what they need. */
export declare const needs: Readonly<Record<"multiplexers" | "agents" | "nodes" | "packageManagers", RegExp>>;
