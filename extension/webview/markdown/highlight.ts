import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import graphql from "highlight.js/lib/languages/graphql";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import lua from "highlight.js/lib/languages/lua";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import scss from "highlight.js/lib/languages/scss";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

/** Coloured code: text, and spans with a class of highlight.js. */
export type Highlight = string | { scope: string; children: Highlight[] };

/** Undefined for a language that is not among those above. */
export function highlight(code: string, language: string): readonly Highlight[] | undefined {
  if (highlighter.getLanguage(language) === undefined) return undefined;
  return readSpans(highlighter.highlight(code, { language, ignoreIllegals: true }).value);
}

const languages = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  graphql,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  markdown,
  php,
  python,
  ruby,
  rust,
  scss,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};
const highlighter = hljs.newInstance();
for (const [name, definition] of Object.entries(languages)) highlighter.registerLanguage(name, definition);

/**
 * The highlighter writes HTML of one form only: spans with a class, and text with five references. It is read as data
 * and never given to the page as HTML; what has another form stays text.
 */
function readSpans(html: string): readonly Highlight[] {
  const root: { scope: string; children: Highlight[] } = { scope: "", children: [] };
  const open = [root];
  for (const [part, scope] of html.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+|</g)) {
    const parent = open.at(-1) ?? root;
    if (scope !== undefined) {
      const span = { scope, children: [] };
      parent.children.push(span);
      open.push(span);
    } else if (part === "</span>") open.pop();
    else parent.children.push(part.replace(/&(?:amp|lt|gt|quot|#x27);/g, (reference) => references[reference] ?? ""));
  }
  return root.children;
}

const references: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };
