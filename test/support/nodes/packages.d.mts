/** The versions of Node that the built program is tested on, as npm ranges. */
export declare const testedNodes: readonly string[];

/** Where a version of Node is installed, the package it comes from, and its program. */
export declare function nodePlace(version: string): { folder: string; packageName: string; file: string };

/** The programs of the tested versions that are installed. */
export declare function installedNodes(): string[];
