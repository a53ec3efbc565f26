export declare function packExtension(packagePath: string): Promise<void>;
