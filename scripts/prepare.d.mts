/** The folder of the checkout. */
export declare const root: string;

/** Installs if node_modules does not match the lock file, then builds dist/. */
export declare function prepare(): void;

/** What npm warns about packages that ask for a newer Node, in one line; undefined if it does not. */
export declare function engineNote(warnings: string): string | undefined;

/** Runs a program in the project's folder; on failure exits with its code. */
export declare function run(program: string, args: readonly string[], what?: string, options?: object): void;
