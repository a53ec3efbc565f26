/**
 * What an editor shows of a `citewell.config.jsonc`, independent of any transport. Offsets are UTF-16 units; the end is
 * exclusive.
 */
export interface Span {
  start: number;
  end: number;
}

export interface SpanEdit extends Span {
  text: string;
}

export interface ConfigText {
  /** Absolute. */
  path: string;
  /** As it is in the editor, saved or not. */
  text: string;
}

export interface ConfigFinding extends Span {
  severity: "error" | "warning" | "information";
  code: FindingCode;
  message: string;
  /** Whether the text is unnecessary. */
  isUnnecessary: boolean;
  fixes: readonly ConfigFix[];
}

export type FindingCode =
  | "syntax"
  | "invalid"
  | "unknown-key"
  | "repeated-key"
  | "secret"
  | "ignored"
  | "page-url"
  | "unknown-provider"
  | "unknown-model"
  | "missing-folder"
  | "resource-failed";

export interface ConfigFix {
  /** The title that a menu shows. */
  title: string;
  edits: readonly SpanEdit[];
  /** Whether it is the one thing to do. */
  isPreferred: boolean;
  /** A key to be kept by `storeKey`; then there are no edits yet. */
  key?: KeyPlace;
}

/** The range of a key in the text, and its provider. */
export interface KeyPlace {
  provider: string;
  path: (string | number)[];
}

export interface ConfigCompletion {
  label: string;
  kind: "key" | "value" | "provider" | "model" | "branch" | "tag" | "package" | "folder" | "file" | "resource";
  detail?: string;
  /** Markdown. */
  documentation?: string;
  /** What it replaces, the cursor included, and the text that goes there. */
  edit: SpanEdit;
  /** Whether the text has places to fill in (`${1:name}`). */
  isSnippet: boolean;
  /** Whether more can be chosen right behind it, as below a folder or for a value. */
  goesOn: boolean;
}

export interface ConfigHover extends Span {
  markdown: string;
}

/** A line of text above a resource; with the name of a resource it asks about that one. */
export interface ConfigLens extends Span {
  title: string;
  askAbout?: string;
}

export interface ConfigSymbol extends Span {
  name: string;
  detail?: string;
  kind: "key" | "list" | "resource";
  /** The part that is selected when it is gone to. */
  nameSpan: Span;
  children: readonly ConfigSymbol[];
}

export interface ConfigLanguage {
  diagnose(document: ConfigText, options: { signal: AbortSignal }): Promise<ConfigFinding[]>;
  /** What can be done at a place; those for a finding stand with it. */
  fixes(document: ConfigText, span: Span, options: { signal: AbortSignal }): Promise<OfferedFix[]>;
  /**
   * Stores a key from the configuration file in the credential store, and returns the edit that removes it from the
   * file.
   * @throws as `connectProvider`, and InvalidRequest if the key is gone
   */
  storeKey(document: ConfigText, place: KeyPlace, options: { signal: AbortSignal }): Promise<SpanEdit[]>;
  complete(document: ConfigText, offset: number, options: { signal: AbortSignal }): Promise<ConfigCompletion[]>;
  hover(document: ConfigText, offset: number, options: { signal: AbortSignal }): Promise<ConfigHover | undefined>;
  lenses(document: ConfigText, options: { signal: AbortSignal }): Promise<ConfigLens[]>;
  outline(text: string): ConfigSymbol[];
  format(text: string, options: { tabSize: number; insertSpaces: boolean; span?: Span | undefined }): SpanEdit[];
}

export interface OfferedFix extends ConfigFix {
  finding?: ConfigFinding;
}
