/** Packs `dist/` into a VSIX file. */
export declare function packExtension(packagePath: string): Promise<void>;
