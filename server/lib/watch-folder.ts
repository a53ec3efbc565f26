/**
 * Reports files below a folder that may have changed, until the result is disposed. `folder` is a real path; files are
 * relative to it, with forward slashes. Only the latest watcher of a folder is notified.
 */
export type WatchFolder = (folder: string, onChange: (files: readonly string[]) => void) => Disposable;
