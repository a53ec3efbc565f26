/** Writes the bill of materials of a package beside it, and returns its path. */
export declare function writeSbom(packagePath: string): Promise<string>;
