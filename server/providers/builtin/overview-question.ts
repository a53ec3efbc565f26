import { asked, it, who, withIt } from "../../source/question-forms.ts";
import { stopWords, wordsIn } from "../../source/words.ts";

/** Nouns for a whole project or a part of it, and words for its properties. A question of only these asks for an overview. */
const projectWords = new Set(
  `app application architecture codebase component composition design framework introduction layout library module organisation organization
  overview package part piece pipeline program programme project purpose repo repository software source sources structure system tool`.split(
    /\s+/,
  ),
);
const partWords = new Set(
  `begin big brief broad code connect connected core crates depend dependencies depends describe described doc docs document documents entry export exports explain file files fit
  folder folders guide high important input internal internals introduce key laid level main meet order organised output organized passes phases picture point put quick
  require requires short stages start started starting starts begins steps strokes structured summarise summarize summary together tree understand work works`.split(
    /\s+/,
  ),
);

/**
 * Whether a question asks for an overview, such as "What is this project, and where does it start?".
 * @param options `own`: the words of the resources' names; `isFirst`: whether no question precedes it
 */
export function isOverview(text: string, { own, isFirst }: { own: ReadonlySet<string>; isFirst: boolean }): boolean {
  if (asksForParts(text) || (isFirst && dependencyQuestion.test(text))) return true;
  const forms = [asksForStart, asksForTour, asksForWhole];
  const asks = (plain: string) => asksForMain(plain) || forms.some((form) => form.test(plain));
  if (isFirst && ([withIt(text, own), ...clausesIn(text, own).slice(0, 1)].some(asks) || asksAbout(text, own)))
    return true;
  if (/[`(]|\b(?:an?|each|every|one)\s+(?:project|package|library|module|component|part|piece|tool)\b/i.test(text))
    return false;
  const words = wordsIn(text).map((word) => word.toLowerCase());
  const informative = words.filter((word) => !stopWords.has(word) && !/^\w$/.test(word));
  const isProject = (word: string) =>
    projectWords.has(word) || projectWords.has(word.replace(/ies$/, "y").replace(/s$/, ""));
  const isName = (word: string) => own.has(word) && !isProject(word);
  if (informative.length === 0) return isFirst;
  if (informative.every(isName)) return /^\s*(?:what|explain|describe|tell)\b/i.test(text) && !/\bdifferen/i.test(text);
  const isMeant = isFirst && /\b(?:its?|this|here|we)\b/i.test(text);
  return (
    (isMeant || informative.some((word) => isProject(word) || isName(word))) &&
    informative.every((word) => isProject(word) || isName(word) || partWords.has(word))
  );
}

/**
 * The questions of a text, without what people say around them: "can you explain", "please", "in a sentence or two", "I
 * just cloned this"; the project's name is “it”.
 */
function clausesIn(text: string, own: ReadonlySet<string>): string[] {
  const clauses = withIt(text, own)
    .replace(manner, " ")
    .replace(/\s+/g, " ")
    .split(
      /[?!;]+|\.\s+|(?:,\s*(?:and |or |but |so )?|\s(?:and|or|but|so|[-–—])\s)(?=(?:what|which|where|how|who|why|is|does|do|can)\b)/i,
    )
    .map((clause) => clause.replace(before, "").replace(after, "").trim());
  return clauses.filter((clause) => clause !== "" && !/^(?:I|we|my|there|hi|hello)\b/i.test(clause));
}

const manner =
  /\b(?:actually|exactly|really|basically|roughly|briefly|overall|broadly|in practice|in general|in (?:a|one|two|a few|an?|simple|plain|short|broad|general|easy|other)(?: or (?:two|so))?(?: (?:short|simple|few))? (?:sentences?|words?|terms|strokes|lines|paragraphs?)(?: or (?:two|so|three))?|in (?:short|brief)|at a high level|(?:explain it )?like I['’]?m (?:five|5)|please)\b/gi;
/** "Could somebody tell me what …". */
const before =
  /^\W*(?:(?:so|ok(?:ay)?|well|hi|hello|hey|and)\b\W*)*(?:(?:can|could|would) (?:you|some(?:one|body)|any(?:one|body)) )?(?:(?:tell|show|explain to|remind|give) (?:me|us) |(?:explain|describe|summari[sz]e) (?=what|where|how|which))?/i;
const after = /,\s+(?:I|we|I['’](?:m|ve|d))\b.*$|[\s,.]+$/i;

const runs = "(?:runs?|run|call(?:s|ed)|execut(?:es|ed)|load(?:s|ed)|starts?|happens|invoked)";
const asksForStart = asked(
  String.raw`^\W*(?:(?:what|where|which (?:file|function|class|module))(?:['’]?s| is) )?(?:the )?(?:main )?entry[- ]?(?:point|file)(?: (?:of|for|to|into|in) ${it})?\W*$|^\W*(?:which|what) (?:file|function|code|class|script|module) (?:runs|(?:is|gets) (?:run|called|executed|loaded)) first\W*$`,
  String.raw`^\W*(?:what (?:happens|(?:is|gets) (?:called|run|executed|loaded)|runs) when (?:${who} (?:run|start|launch) )?\W?${it}\W?(?: starts)?|how does (?:the )?(?:start[- ]?up|boot(?:ing)?)(?: process)? work|how does ${it} (?:boot|start)(?: up)?)\W*$`,
  String.raw`\bwhere (?:do|does) (?:${it}|the \w+|everything|(?:program )?execution)(?: process)? (?:start|begin|boot)\b|^where ${it} (?:starts|begins|boots)\b`,
  String.raw`\bwhere (?:do|does) \S+ (?:start|begin)\b.* when ${who} (?:run|type|call|start|launch|enter|invoke)\b`,
  String.raw`^\W*what happens (?:on|at|during) (?:start ?up|launch|boot)\W*$`,
  String.raw`^\W*what happens when (?:${it}|(?:the )?server) (?:starts|boots|launches)(?: up)?\W*$`,
  String.raw`\b(?:which|what) (?:files?|code|parts?) (?:should|do|can) ${who} (?:read|look at|open) first\b`,
  String.raw`\bwhere (?:should|do|can) ${who} (?:start|begin)(?:\W*$| (?:reading|looking)\b| (?:if|when|to)\b.* (?:code|sources?|${it})\b)`,
  String.raw`\b(?:which|what)(?:['’]?s)?(?: is)?(?: the first)? (?:files?|code|functions?|methods?|classe?s?|scripts?|thing|part|module)(?: that| which)?(?: (?:is|gets?))? ${runs}(?: first)? when (?:${who} (?:run|type|call|start|launch|enter|invoke|import)\b|${it} (?:is )?(?:start|launch|boot|run))`,
  String.raw`\bwhat (?:happens|runs|is (?:run|executed|called)) first when ${who} (?:run|type|call|start|launch|enter|invoke)\b`,
  String.raw`\bwhere(?:['’]?s| is) (?:the )?(?:bin|start(?:[- ]?up)?|boot|launch(?:er)?) (?:script|file|code)\b`,
);
const asksForTour =
  /\bfind my way (?:around|through)\b|\b(?:tour|walk ?through|walk me through|guide me through|show me around)\b(?: of)?(?: (?:the|this|your))?(?: (?:code|codebase|code base|project|repo\w*|sources?|it|this))?\W*$/i;

/** Asks what the project is, or how it works as a whole; the project's name is “it”. */
const asksForWhole = asked(
  String.raw`^\W*what(?:['’]?s| is) (?:\w+ )?it(?:,? (?:in|exactly|actually|and)\b|\W*[?.,]|\W*$)`,
  String.raw`^\W*what(?: (?:is|does|can)|['’]?s)? ${it}(?: (?:do|does|is|about|(?:is )?(?:good |used |meant |made )*for))+\W*$|^\W*what am I looking at\W*$`,
  String.raw`^\W*(?:the )?(?:what(?:['’]?s| is) the )?(?:purpose|point|goal|aim|idea|elevator pitch|gist)(?: (?:of|behind|for) ${it})?\W*$`,
  String.raw`^\W*what (?:kind|sort|type) of (?:project|tool|library|framework|program|software|thing) is ${it}\W*$`,
  String.raw`^\W*is ${it} (?:an? )?(?:library|framework|tool|app\w*|server|service|cli|program)(?:,.*|,? or\b.*|\W*$)`,
  String.raw`^\W*(?:what|which) problems? (?:does|is) ${it} (?:solve|for|meant)`,
  String.raw`^\W*why (?:would|should|do) ${who} (?:use|want|need) ${it}\W*$`,
  String.raw`\b(?:how (?:does )?${it} (?:even )?works?|how (?:does )?(?:everything|it all|all (?:of )?(?:this|it)) (?:fits?|works?)(?: together)?)\b(?:,? (?:internally|inside|together|in general|at a high level|under the hood|behind the scenes))*\W*$`,
  String.raw`^\W*(?:in (?:general|broad|simple)(?: terms)?|roughly|basically|at a high level|overall|broadly)\b,? how (?:does|is) ${it}\b`,
  String.raw`^\W*what are (?:the|its) (?:main|core|key|central|most important) (?:types|class(?:es)?|interfaces|structs|objects|concepts|abstractions|modules|components|parts|pieces|building blocks|steps|stages|phases|passes)(?: (?:in|of) ${it})?(?:,? from .*)?\W*$|^\W*(?:what(?:['’]?s| is) |explain |describe )?the big picture\b`,
  String.raw`^\W*which (?:types|classes|modules|files) (?:are (?:the )?(?:most important|important|central)|matter(?: (?:the )?most)?)\W*$`,
  String.raw`^\W*(?:the )?(?:key|core|main|central) (?:types|classes|data structures|abstractions|concepts|components|features)\W*$`,
  String.raw`^\W*(?:tl;?dr|eli5|summary|(?:short |quick )?introduction|overview)(?: (?:of|for|to) ${it})?\W*$|^\W*it in (?:one|an?|two|a few) (?:sentences?|words?)\W*$`,
  String.raw`^\W*(?:explain|describe|summari[sz]e) ${it}\W*$|^\W*what are (?:its|the) (?:main |key )?features\W*$`,
  String.raw`^\W*how is (?:the )?(?:code|codebase|source(?: code| tree)?|repo\w*|${it}) (?:organi[sz]ed|structured|laid out|arranged|built internally|put together)\W*$`,
  String.raw`^\W*(?:describe|show|explain|the)(?: me)? ?(?:the )?(?:directory|folder|code|repo\w*|project) (?:structure|layout|tree)\W*$|\b(?:map|overview) of the (?:code|source|repo)\w*(?: tree)?\W*$`,
  String.raw`^\W*what are the layers\W*$|\bwhat(?:['’]?s| is) in (?:which folder|src|lib)\W*$|^\W*where do ${who} find what\W*$`,
  String.raw`^\W*how (?:does|do) (?:data|a request|requests|the data) flow through (?:it|the system)\b|^\W*(?:what|which) (?:stages|phases|passes|steps) does it (?:go through|have|run)\W*(?:$|(?:and )?in (?:which|what) order)`,
);

/** Whether it asks for the entry point: "Where is main?", "what's the entry point". */
function asksForMain(text: string): boolean {
  return mainForms.test(text);
}
const mainForms = asked(
  String.raw`\b(?:main|what['’]?s the|where['’]?s the|where is the|which (?:file|function|class) is the)(?: \w+)? entry ?point\b|\bfrom main\b(?:\(\))? (?:down|on|to|through)\b`,
  String.raw`\bwhere(?:['’]?s| is) (?:the )?[\x60"]?main\b[\x60"]?(?:\(\))?(?: (?:function|method|program(?:me)?|file))?(?: (?:of|for|in) ${it})?\s*(?:$|[?.,;]|and\b)`,
  String.raw`\b(?:which|what) (?:\w+ )?file (?:contains|has|defines|holds) (?:the )?main\b`,
);

/** Asks about what a library defines. */
export const asksForTypes = /\b(?:types|classes|interfaces|structs|objects|data structures)\b/i;

/** Asks what a command starts, not what a library does. */
export const asksForCommand = asked(
  String.raw`\b(?:terminal|command(?:[- ]line)?|cli|npx|shell|bundle exec|executable|binary)\b`,
  String.raw`\b(?:when|if|once|after) ${who} (?:run|type|call|start|launch|enter|invoke)\b`,
);

/** Whether it asks what the packages or folders of a project are for: "what does each crate do?". */
export function asksForParts(text: string): boolean {
  if (partForms.some((form) => form.test(text))) return true;
  const words = wordsIn(text.toLowerCase()).filter((word) => !stopWords.has(word));
  return partSubject.test(text) && words.every((word) => aboutParts.has(word));
}

const partNoun = String.raw`(?:package|crate|gem|module|sub[- ]?project|workspace(?: member)?|folder|director(?:y|ie)|component|app|service)`;
const partNouns = partNoun.replaceAll("|", "s|").replace(/\)$/, "s)");
const partSubject = asked(
  String.raw`\b(?:what|which|list|explain|describe|overview|how|purpose)\b.*\b(?:the|these|those|its|different|all|various)(?: \w+){0,2} ${partNouns}\b`,
  String.raw`\b(?:what|which|list|explain|describe|overview|how|purpose)\b.*\b(?:each|every)(?: of (?:the|these|those|its))?(?: \w+)? ${partNoun}s?\b`,
  String.raw`\b(?:which|what) ${partNoun} (?:does|do|is for|contains?|holds?|has) what\b|\bwhich ${partNouns}\b.*\b(?:contains?|has|have)\b`,
);
const aboutParts = new Set(
  `app apps component components contain contains crate crates difference differences different directories directory divided explain describe folder folders
  gem gems has inside job kept list lives member members module modules monorepo organised organized overview package packages project purpose
  repo repository responsible role root service services source split sub subproject subprojects projects top level various workspace workspaces`.split(
    /\s+/,
  ),
);
const partForms = [
  String.raw`\bwhat are (?:all )?(?:(?:the|these|those|its) )?(?:\w+ ){0,2}${partNouns}\b[^,.;]{0,40}\bfor\s*(?:$|[?.,;(])`,
  String.raw`\b${partNouns}\b.*\b(?:what|which) (?:is|are|does|do|one is)(?: (?:each|every|they))?\b[^,.;]{0,20}\b(?:for|do)\b`,
  String.raw`\bwhat (?:is|does) (?:each|every) (?:of (?:the|these|its) )?(?:\w+ )?${partNoun}s?\b.{0,20}\b(?:for|do|contain)\b`,
  String.raw`\b(?:which|what|list(?: all)?(?: the)?) ${partNouns} (?:(?:are )?(?:there|here|in (?:here|(?:this|the) \w+))\W*$|(?:is it made of|does (?:it|this \w+) (?:have|contain|consist))\b)`,
  String.raw`\bwhat do (?:all )?(?:the|these) (?:\w+ )?${partNouns} do\b`,
].map((form) => new RegExp(form, "i"));

/** Whether it asks what the project itself is or is for: "What is fastify?", "Redis, what is it exactly?". */
function asksAbout(text: string, own: ReadonlySet<string>): boolean {
  const name = abouts.map((pattern) => pattern.exec(text)?.[1]).find((one) => one !== undefined);
  return name !== undefined && own.has(name.toLowerCase());
}

const abouts = [
  /^\s*what(?: exactly)?(?:['’]?s| is| does)(?: exactly)? (\w+)(?: do| used for| for| good for| about| exactly)?\s*(?:$|[?,.]|(?:and|that|over)\b)/i,
  /^\s*(\w+)\s*[,:;–-]+\s*what(?:['’]?s| is| does) (?:it|that|this)\b/i,
];

/** The part of a project that a question about all of it wants to see first. */
export type Focus = "start" | "layout" | "parts" | "purpose";

/** @param own as for `isOverview` */
export function focusOf(text: string, own: ReadonlySet<string> = new Set()): Focus {
  if (asksForParts(text)) return "parts";
  const [first = text] = clausesIn(text, own);
  if (asksForMain(text) || asksForStart.test(first)) return "start";
  if (asksForTour.test(text)) return "layout";
  const isStart = asksForStart.test(withIt(text, own)) || /\b(?:start|begin|entry|main|first|execut\w+)\b/i.test(text);
  if (isStart && !/\bwhat (?:is|does|are)\b/i.test(text)) return "start";
  if (asksForTypes.test(text)) return "start";
  return /\b(?:lai?d? ?out|structure|organi[sz]|architecture|together|folders?|parts?|pieces|concepts|abstractions|components|modules|internals?|hood|design|layers|map|pipeline|stages|phases|passes|steps|flow|source tree|in (?:src|lib)\b|find what)|\bhow (?:does|is)\b/i.test(
    text,
  )
    ? "layout"
    : "purpose";
}

/** Begins with what the project depends on, whatever it asks after that. */
const dependencyQuestion =
  /^\W*(?:so )?what (?:(?:does|do) (?:it|this|we|the \w+) (?:depend|rely) on|are (?:its|the|our) dependencies)\b|^\W*(?:what|which) (?:(?:other|third[- ]party|external) )*(?:gems|packages|crates|modules|libraries|libs|dependencies|deps)\b.*\b(?:pulls? in|needs?|requires?|brings?|depends? on|rel(?:y|ies) on|uses?|used)\W*$|^\W*(?:(?:a |the )?list (?:of )?)?(?:all )?(?:the |its )?(?:runtime |direct |external )*(?:dependencies|deps)\W*$|^\W*does (?:it|this|the \w+) have (?:any )?(?:\w+ )?dependencies\W*$/i;

/** Whether a question about a project is only about what it depends on. */
export function asksForDependencies(text: string): boolean {
  return /\bdep(?:s\b|end)|\b(?:libraries|libs|packages|modules|crates|gems)\b.*\b(?:used?|uses|needs?|requires?|rely|relies|pulls?|brings?)\b/i.test(
    text,
  );
}
