/**
 * Tells of files below a folder that may have changed, until what it returns is disposed of. `folder` is a real path; the
 * files are relative to it, with forward slashes. Of those who watch the same folder the last is told.
 */
export type WatchFolder = (folder: string, onChange: (files: readonly string[]) => void) => Disposable;
