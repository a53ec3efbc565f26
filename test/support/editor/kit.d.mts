export declare const kitFolder: string;
export declare const kit: { node: string; codeServer: string };
export declare function isKitComplete(folder?: string): boolean;
export declare function installKit(folder?: string): Promise<void>;
export declare function findBrowser(): string | undefined;
export declare function findOnPath(name: string): string | undefined;
