/** The folder of the installed VS Code. */
export declare const kitFolder: string;
/** Paths of the kit's programs. */
export declare const kit: { node: string; codeServer: string };
/** Whether the kit is installed completely. */
export declare function isKitComplete(folder?: string): boolean;
/** Installs code-server from npm. */
export declare function installKit(folder?: string): Promise<void>;
/** The name of a Chromium without windows. */
export declare const windowless: string;
/** Finds an installed Chromium. */
export declare function findBrowser(): string | undefined;
/** Finds a program in `PATH`. */
export declare function findOnPath(name: string): string | undefined;
