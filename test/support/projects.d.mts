export type Project = "editor" | "hosted" | "cli" | "core";
export const projects: readonly Project[];
export function testFiles(): { file: string; project: Project }[];
