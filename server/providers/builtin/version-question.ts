import { groupsIn, withoutMarks } from "../../source/question-forms.ts";

/** A question for a version. */
export interface VersionQuestion {
  /** The dependency, the language, or `this` for the project itself. */
  name: string;
  isLanguage: boolean;
  /** Whether it can only be about a dependency. */
  isCertain: boolean;
  /** Whether it asks what depends on it. */
  asksWho: boolean;
}

/** Languages by their names in questions. */
const languages = new Map(
  "go golang:go python ruby rust rustc:rust msrv:rust java jdk:java jvm:java php node nodejs:node node.js:node deno bun dotnet .net:dotnet elixir swift kotlin scala dart zig cmake c++"
    .split(" ")
    .map((one) => one.split(":"))
    .map(([written = "", name = written]) => [written, name]),
);
const named = String.raw`(?<name>(?:\.|@)?\w[\w@./+#-]*(?: [\w.+#-]+){0,2}?)`;
const verb = String.raw`(?:do|does|did|is|are|am|we|this|it|you|has|have|here|gets?|use[sd]?|installed|locked|pinned|required?|needed|supported|work|nutz|verwend|benutz|ist|sind|wird|haben|brauch|utilis|est)\w*`;
const language = String.raw`(?<name>${[...languages.keys()].map((one) => one.replaceAll(/[.+]/g, "\\$&")).join("|")})`;
/** Beside “version”: "which Java level is needed". */
const kind = "(?:levels?|sdks?|toolchains?|compilers?|runtimes?|interpreters?|standards?|editions?|platforms?)";
const end = String.raw`(?=\s+${verb}\b|\W*$)`;
const least = "(?:minimum|minimal|min|oldest|lowest|earliest)";
const forms = [
  // Whatever follows: "oldest Python it still runs on", "minimum Node version and package manager".
  `^(?!\\W*(?:how|where|why|when)\\b).*\\b${least}(?: (?:supported|required|possible|version|of))* ${language}(?=\\W*$|[?,;]| (?:versions?|releases?|and|or|to|for|on|that|it|this|we|i|you|one|supported|required|needed|allowed)\\b)`,
  `\\b(?:what|which)(?:['’]?s| is)?(?: (?:the|supported|required|${least}))* ${language}[- ](?:versions?|releases?|sdk|toolchain)\\b`,
  `\\bversions?\\s+(?:number\\s+)?(?:of|von|vom|der|des|de|du)\\s+(?:the\\s+)?${named}${end}`,
  `\\b(?:what|which|welche\\w*|quelle|the|our|minimum|minimal|oldest|supported|required)(?:['’]?s| is| are)?(?: (?:the|our|minimum|oldest|supported|required))* ${named}[- ]versions?${end}`,
  `^\\W*${named} versions?(?:\\W*$| (?=needed|required|supported|used|installed|do we|to build|for))`,
  "^\\W*(?:what(?:['’]?s| is) (?:the |our )?)?(?<name>msrv)\\W*$",
  `\\b(?:what|which) versions? (?:is|are|does|do)(?: the| our)? ${named}(?: (?:at|on|have|has|pinned|locked|installed|in use)\\b.*|\\W*)$`,
  `\\b(?:what|which|minimum|oldest|lowest)(?: supported)? ${language}(?: ${kind})?${end}`,
  `^\\W*(?:is|are) ${language} v?\\d[\\w.]* (?:still )?supported\\W*$`,
  `^\\W*(?:does|will|can) (?:it|this|the \\w+) (?:still )?(?:work|run|build|compile)s? (?:with|on|under) ${language} v?\\d[\\w.]*\\W*$`,
  `^\\W*(?:do|does|are|is|have) (?:we|this|it|you)\\b.* (?:use|using|on|need|require|have) ${named} v?\\d[\\w.]*(?: or .*)?\\W*$`,
].map((form) => new RegExp(form, "i"));
const own =
  /\b(?:what|which) versions? (?:is|are|of) (?:this|it|we)\b|^\W*what(?:['’]?s| is) (?:the|its) (?:current )?version\W*$|\bversion of (?:this|the) (?:project|package|library|app|crate|module|repo\w*|tool)\b/i;
const notNames =
  /^(?:the|this|that|it|each|an?|all|what|which|latest|minimum|current|supported|language|compiler|toolchain|runtime)\b/i;
const ofUse =
  /\b(?:we|installed|locked|pinned|resolved|depends?|dependency|project|repo\w*|wir|nous|installiert|install[ée]\w*)\b/i;

const who =
  /\b(?:who|what|which (?:of our )?(?:package|dependency|dependencies|module|crate|library|artifact)s?)\b[^.?!]*\b(?:asks? for|depends? on|needs?|requires?|pulls?|brings?)\b|\bwhy (?:is|are|do|does)\b|\b(?:asked for|required|needed|pulled in|brought in) by\b/i;
const whoForms = [
  `^\\W*(?:who|what|which (?:of our )?(?:packages?|dependency|dependencies|modules?|crates?|library|artifacts?))(?: (?:else|here|of ours))? (?:asks? for|depends? on|needs?|requires?|pulls? in|brings? in|brings?) ${named}(?: in)?\\W*$`,
  `^\\W*why (?:is|do we have|do we need|does it need|are we using|do we depend on) ${named}(?: (?:installed|here|there|in (?:our|the) (?:lock ?file|tree|project|build|dependencies)|a dependency|needed))?\\W*$`,
].map((form) => new RegExp(form, "i"));

/** Whether a question asks for a version: "which version of ms is installed?", "what Go does this need?". */
export function versionAsked(text: string, resources: readonly string[]): VersionQuestion | undefined {
  const plain = withoutMarks(text)
    .replace(/\((?:not|no|for|and|or|if|i)\b[^()]*\)/gi, "")
    .trim();
  const asker = groupsIn(whoForms, plain)?.["name"];
  const found = asker ?? groupsIn(forms, plain)?.["name"];
  if (own.test(plain) || resources.some((one) => one === found))
    return { name: "this", isLanguage: true, isCertain: false, asksWho: false };
  if (found === undefined || notNames.test(found)) return undefined;
  const bare = found.replace(
    /[.!?]+$| (?:toolchain|compiler|runtime|sdk|package|library|dependency|crate|gem|module)$/gi,
    "",
  );
  const name = languages.get(bare.toLowerCase());
  const isCertain = name === undefined && ofUse.test(plain);
  return {
    name: name ?? bare,
    isLanguage: name !== undefined,
    isCertain,
    asksWho: asker !== undefined || (name === undefined && who.test(plain)),
  };
}
