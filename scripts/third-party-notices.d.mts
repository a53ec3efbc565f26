import type { Metafile } from "esbuild";

/** A package whose code is in `dist/`. */
export interface BundledPackage {
  name: string;
  version: string;
  /** An SPDX expression. */
  license: string;
}

/** The licences of all bundled packages, as a text. */
export declare function thirdPartyNotices(metafiles: readonly Metafile[]): string;

/** The packages that such a text names. */
export declare function readNotices(text: string): BundledPackage[];
