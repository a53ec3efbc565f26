import { asked, it, who, withIt } from "./question-forms.ts";

/** Lines that a question is about, whatever words they have: the entry of an option, a file with a usual name. */
export interface SpecialPlace {
  /** An expression for their first line. */
  pattern: string;
  /** The most telling files first. */
  files: readonly string[];
  reason: string;
  height: number;
  /** An expression for those first lines that are preferred, such as a heading. */
  best?: string;
  /** An expression for first lines that count only if they are underlined. */
  underlined?: string;
  /** An expression for the first line after them. */
  end?: string;
  /** Whether it is the entry of a name, in one of several forms. */
  isEntry?: boolean;
  /** Words of the question, in lower case: a file with one as its name is preferred. */
  near?: readonly string[];
  /** A file that is only about it: globs, and expressions for the line that says so, best first. */
  ownFile?: { globs: readonly string[]; forms: readonly string[] };
  /** An expression for the line of code that declares an option. */
  declaration?: string;
}

const heading = "^(?:#+ |\\[?v?\\d+\\.\\d+)";
/** The section with this heading, also one that is underlined, or else the first line of `mention`. */
function section(
  words: string,
  mention?: string,
): Pick<SpecialPlace, "pattern" | "best" | "underlined" | "end" | "height"> {
  const start = String.raw`^(?:#+ (?:\W{0,6}|.{0,30} )|=+ )?(?:${words})\W{0,6}$`;
  const pattern = mention === undefined ? start : `${start}|${mention}`;
  return { pattern, best: start, underlined: `^\\w.{0,30} (?:${words})\\W{0,6}$`, end: heading, height: 20 };
}

const oneTest = String.raw`(?:only|single|one|specific|particular|individual)(?: (?!of|or\b)[\w-]+){0,3} tests?\b`;
const securityLine = "report|vulnerab|disclos|security";

/** Questions about what most projects keep in files with usual names. */
const usual: readonly (SpecialPlace & { asks: RegExp; except?: RegExp })[] = [
  {
    asks: asked(
      String.raw`^\W*(?:what|which|is|under|can|may|how is)\b.*\blicen[cs]|^\W*licen[cs]e\W*$`,
      String.raw`\b(?:(?:can|may|could) (?:${who}|${it}|my company)|allowed|free (?:to|for)|okay? to)\b.*\b(?:closed[- ]source|proprietary|commercial(?:ly)?)\b`,
    ),
    except: /\b(?:third|dependenc\w*|librar\w*|libs?|check\w*|header|key)\b/i,
    // A file beside those of several licences says which of them apply.
    files: ["LICENSE", "LICEN[CS]E", "LICEN[CS]E.*", "COPYING*", "LICEN[CS]E*", "UNLICENSE*", "licen[cs]e*"],
    pattern: "licen[cs]e|copyright|permission|public domain",
    reason: "the licence",
    height: 16,
  },
  {
    asks: /\bhow (?:do|can|should|would|to)\b.*\b(?:run|execute|start)\b.*\btests?\b|^\W*(?:run|execute) (?:all |the |its |my )*(?:unit |integration )?tests?\b|\btest command\b|\bhow (?:is|are) (?:it|this|(?:the )?tests?)\b.*\b(?:tested|run|built|executed|started)\b/i,
    except: /\b(?:only|single|one|specific|particular)\b/i,
    files: [
      "CONTRIBUTING*",
      "DEVELOP*",
      "HACKING*",
      "TESTING*",
      "BUILD*",
      "README*",
      "Makefile",
      "justfile",
      "Taskfile.yml",
      "package.json",
      "tox.ini",
      "noxfile.py",
      "[Cc][Ii]*.y*ml",
      "[Tt]est*.y*ml",
    ],
    // The expression matches at the beginning of a line or of code in it.
    pattern: String.raw`(?:^\W{0,10}(?:run:\s+)?|(?<!:)\x60)(?:(?:npm|pnpm|yarn|bun) (?:run )?test|(?:go|cargo|dotnet|mix|swift|composer|flutter|deno|sbt|lein|zig build|rake|make|just|task|bazel) (?:test|check)|cargo nextest|(?:\w+ -m |(?:uv|poetry|pdm|hatch|rye|pixi) run (?:\S+ )*?|\w+ run )?(?:pytest|tox|nox)|(?:bundle exec )?(?:rspec|rake(?=\s*(?:$|\x60))|rake (?:test|spec))|(?:\./)?mvnw? .*(?:test|verify)|(?:\./)?gradlew? .*(?:test|check)|phpunit|ctest)\b(?!-)|^(?:test|check):|^\s*"test":`,
    reason: "how to run the tests",
    height: 8,
    end: `^\\s*\`\`\`|${heading}`,
  },
  {
    asks: /\b(?:run|execute|start)\b.*\b(?:only|single|one|specific|particular|individual)\b.*\btests?\b/i,
    except: /\bwhy\b/i,
    files: ["CONTRIBUTING*", "DEVELOP*", "HACKING*", "TEST*", "README*", "Makefile", "*.md", "*.rst"],
    pattern: String.raw`\brun\w*\b.*\b${oneTest}|\b${oneTest}.*\brun\b`,
    best: String.raw`^(?:#+|=+)\s.*\b${oneTest}`,
    reason: "how to run one test",
    height: 14,
    end: heading,
  },
  {
    asks: /\b(?:oldest|minimum|lowest|which|what)\b.*\b(?:windows|linux|mac ?os|ios|android|platforms?|operating systems?|browsers?)\b.*\b(?:supports?|supported|runs? on|works? on|needs?|requires?)\b/i,
    except: /\b(?:why|how|where|function|option|setting|flag)\b/i,
    files: ["SUPPORTED*", "*PLATFORM*", "README*", "INSTALL*", "*.md", "*.rst"],
    pattern: String.raw`^(?:#+ .*|=* ?)\b(?:support(?:ed)?\b.*\b(?:platform|system|browser|version)|(?:platform|system|browser)s?\b.*\b(?:support|requirement)|(?:system )?requirements|compatibility)`,
    reason: "what it supports",
    height: 24,
    end: heading,
  },
  {
    asks: asked(
      String.raw`\bwhere (?:do|can|should|could) ${who} (?:ask|get (?:help|support)|discuss|find (?:help|support)|turn)\b`,
      String.raw`\bhow (?:do|can) ${who} (?:get (?:help|support)|contact|reach)\b`,
      String.raw`\b(?:where is|is there) (?:an?|the) (?:mailing list|chat|forum|discord|slack|irc)\b`,
    ),
    except: /\b(?:vulnerab|security)/i,
    files: ["SUPPORT*", "README*", "CONTRIBUTING*"],
    ...section(
      "support|(?:getting )?help|questions?|community|contact|discussions?|mailing lists?|chat|forums?",
      String.raw`\b(?:discord|slack|gitter|stack ?overflow|mailing list|forum|discussions)\b`,
    ),
    reason: "where to ask",
  },
  {
    asks: asked(
      String.raw`\bwhere (?:do|can|should|could) ${who} (?:report|file|open|submit|raise) (?:an? |the )?(?:\w+ )?(?:bugs?|issues?|problems?|tickets?)\b`,
      // Some projects are about issues.
      String.raw`\bhow (?:do|can|should|could) ${who} (?:report|file|submit) (?:an? |the )?bugs?\b`,
    ),
    except: /\b(?:vulnerab|security)/i,
    files: ["CONTRIBUTING*", "SUPPORT*", "README*", "*.md", "*.rst"],
    ...section(
      String.raw`report(?:ing)?(?! .*(?:vulnerab|secur)).{0,20}|bugs?.{0,20}|(?:filing|opening|submitting).{0,20}|issues?|issue tracker`,
      String.raw`\b(?:report|file|open|submit|raise)\b.*\b(?:bugs?|issues?)\b`,
    ),
    reason: "where to report a bug",
  },
  {
    asks: asked(
      String.raw`^\W*who (?:maintains|wrote|made|makes|develops|created|owns|is behind) ${it}\W*$`,
      String.raw`^\W*who (?:is|are) the (?:authors?|maintainers?|owners?|developers?)\b(?: of ${it})?\W*$`,
    ),
    files: [
      "MAINTAINERS*",
      "AUTHORS*",
      "README*",
      "CODEOWNERS",
      "package.json",
      "*.toml",
      "composer.json",
      "*.gemspec",
    ],
    ...section(
      "authors?|maintainers?|maintained by|credits|(?:core )?team",
      String.raw`\b(?:maintained|created|developed|written) by\b|^\s*"?(?:\w+\.)?(?:authors?|maintainers?)"?\s*[:=]|^\S+ +@[\w-]|<[\w.+-]+@`,
    ),
    reason: "who maintains it",
  },
  {
    asks: asked(
      String.raw`\bhow (?:do|can|should|to) (?:${who} )?(?:build|compile) (?:${it}|(?:the )?(?:code|sources?))\b`,
      String.raw`\b(?:build|compile|install|building|compiling) (?:${it} )?from (?:the )?sources?\b`,
    ),
    except: /^\W*what\b/i,
    files: ["BUILD*.*", "INSTALL*", "CONTRIBUTING*", "DEVELOP*", "HACKING*", "README*", "[Ii]nstall*.*"],
    ...section(String.raw`build(?:ing)?|compil(?:e|ing|ation)|.{0,20}from (?:the )?sources?`),
    reason: "how to build it",
  },
  {
    asks: asked(
      String.raw`^\W*how (?:do|can|should|to) (?:${who} )?(?:install|set ?up|get started with|start using) ${it}\W*$`,
    ),
    files: ["INSTALL*", "README*", "[Ii]nstall*.*", "[Gg]etting*[Ss]tarted*", "*.md", "*.rst"],
    ...section(
      "install(?:ation|ing)?|set ?up",
      String.raw`^(?:#+ )?\W{0,6}(?:get(?:ting)? (?:it|started)|quick ?start)\W{0,6}$`,
    ),
    reason: "how to install it",
  },
  {
    asks: asked(
      String.raw`\bhow (?:is|are) (?:an? |the |new |its )*(?:releases?|versions?) (?:made|cut|done|published|created|built|tagged|released)\b`,
      String.raw`\bhow (?:do|should) (?:we|they|maintainers) (?:make|cut|do|publish|create|tag) (?:an? |the )?(?:new )?(?:releases?|versions?)\b`,
      String.raw`\bhow (?:do|can|should|to) (?:${who} )?(?:make|cut|publish|create|tag) (?:an? |the )?(?:new )?(?:releases?|versions?) of ${it}\W*$`,
      String.raw`\brelease (?:process|checklist|procedure)\b`,
    ),
    files: [
      "RELEASING*",
      "RELEASE*",
      "MAINTAIN*",
      "CONTRIBUTING*",
      "DEVELOP*",
      "README*",
      "*releas*.md",
      "*releas*.y*ml",
      "package.json",
      "Makefile",
    ],
    ...section(
      String.raw`releas(?:e|es|ing)(?! notes)(?: \D{0,30})?|making an? .{0,10}release|publish(?:ing)?`,
      String.raw`^\s*"release[\w:-]*":|^release[\w-]*:|^name:.*(?:releas|publish)`,
    ),
    reason: "how a release is made",
  },
  {
    asks: asked(
      String.raw`\b(?:code|coding) (?:style|conventions?|standards?|guidelines?)\b`,
      String.raw`\b(?:is there|which|what) (?:an? )?(?:linter|formatter)\b`,
      String.raw`\bhow (?:do|can|should|to) (?:${who} )?(?:lint|format) (?:the code|${it})\b|\brun (?:the |a )?(?:linters?|formatter)\b`,
    ),
    files: [
      "*STYLE*",
      "CODING*",
      "CONTRIBUTING*",
      "DEVELOP*",
      "HACKING*",
      "README*",
      ".golangci.y*ml",
      ".eslintrc*",
      "eslint.config.*",
      ".pre-commit-config.yaml",
      "*rustfmt.toml",
      ".rubocop.yml",
      ".clang-format",
      ".editorconfig",
    ],
    ...section(
      String.raw`(?:code|coding|programming) (?:style|standards?|conventions?)|style(?: guide\w*)?|lint(?:ing|er)?|formatting|code format`,
      String.raw`^\s*(?:linters|rules|repos|extends|max_width|BasedOnStyle|AllCops|\[\*\])\b|^export default`,
    ),
    reason: "the code style",
  },
  {
    asks: asked(
      String.raw`^\W*where (?:is|are|can ${who} (?:find|read)) (?:the |its |more |any )?(?:documentation|docs|manual|api docs)(?: (?:of|for) ${it})?\W*$`,
      String.raw`^\W*(?:documentation|docs)\W*$`,
    ),
    files: ["README*"],
    ...section(
      String.raw`(?:official |full )?(?:documentation|docs|manual)|further reading|learn(?:ing)?(?: more)?`,
      String.raw`\b(?:documentation|docs|manual)\b.*https?:`,
    ),
    reason: "where the documentation is",
  },
  {
    asks: asked(
      String.raw`\b(?:production[- ]ready|ready for production)\b`,
      String.raw`^\W*is ${it} (?:still )?(?:stable|maintained|abandoned|alive|dead|deprecated|in (?:alpha|beta)|alpha|beta|developed|active)\b`,
    ),
    files: ["README*"],
    ...section(
      "(?:project |current )?status|stability|maturity|maintenance",
      String.raw`\b(?:production[- ]ready|(?:in|for) production|experimental|unmaintained|maintenance mode|no longer maintained|(?:alpha|beta) (?:stage|quality|software|version|release))\b`,
    ),
    reason: "its status",
  },
  {
    asks: asked(
      String.raw`\b(?:set ?up|prepare|get|create) (?:an? |the |my |your )?(?:local )?(?:dev|development) (?:environment|setup|version|copy)\b`,
      String.raw`\bhow (?:do|can|should|to) (?:${who} )?(?:start developing|develop|hack on|work on) ${it}\W*$`,
      String.raw`^\W*what (?:do|should|must) ${who} (?:(?:have|need) to )?(?:install|have|set ?up|need)\b.*\b(?:before|to)\b.*\b(?:build|compile|develop|hack on|work on|run) ${it}\b`,
    ),
    files: ["CONTRIBUTING*", "DEVELOP*", "HACKING*", "README*", "[Dd]evelop*.md"],
    ...section(
      String.raw`(?:local )?(?:dev|development)(?: environment| setup)?|(?:setting up|set ?up)(?: .{0,30})?|getting started|prerequisites|building`,
    ),
    reason: "how to develop it",
  },
  {
    asks: asked(
      String.raw`\b(?:what|which \w+) (?:does|do|is|are|gets?|runs?|run)\b.{0,20}\b(?:ci|continuous integration|github actions)\b`,
      String.raw`\bwhere is (?:the )?(?:ci|continuous integration)\b`,
    ),
    except: /\b(?:fail|error|broken|why)/i,
    files: [
      ".github/workflows/[Cc][Ii]*.y*ml",
      ".github/workflows/*test*.y*ml",
      ".github/workflows/*build*.y*ml",
      ".github/workflows/*.y*ml",
      ".gitlab-ci.yml",
      ".travis.yml",
      "azure-pipelines.yml",
      "Jenkinsfile",
    ],
    pattern: String.raw`^\s*(?:jobs|script|stages):|^\s*-?\s*run:|\bstage\(`,
    height: 40,
    reason: "what CI runs",
  },
  {
    asks: asked(
      String.raw`\b(?:what|which) version of (?:the )?(?:language|compiler|toolchain|runtime)\b`,
      String.raw`^\W*(?:what|which) (?:do ${who}|is|are) (?:need|required|needed) (?:to|for) (?:build|run|install|use|building|running)\w* ${it}\W*$`,
      String.raw`^\W*what are (?:the |its )?(?:system )?(?:requirements|prerequisites)\b`,
    ),
    files: [
      "README*",
      "INSTALL*",
      "CONTRIBUTING*",
      "DEVELOP*",
      "go.mod",
      "package.json",
      "pyproject.toml",
      "Cargo.toml",
      "composer.json",
      "*.gemspec",
      "*.md",
    ],
    ...section(
      String.raw`(?:system |minimum )?requirements|prerequisites|supported (?:python|node\S*|php|go|ruby|java|rust) versions|compatibility`,
      String.raw`^go \d|^\s*"(?:engines|node|php)":|^requires-python|^rust-version|required_ruby_version`,
    ),
    reason: "what it needs",
  },
  {
    asks: asked(
      String.raw`^\W*(?:does|will|can) ${it} (?:run|work|build|install)s? on (?:windows|mac ?os|linux|macs?|freebsd|arm\w*)\b`,
      String.raw`\bis (?:windows|mac ?os|linux|freebsd) supported\b|^\W*does ${it} support (?:windows|mac ?os|linux|freebsd)\b`,
    ),
    files: ["SUPPORTED*", "*PLATFORM*", "README*", "INSTALL*"],
    ...section(
      String.raw`(?:supported )?(?:platforms?|operating systems?)|.{0,20}\b(?:windows|mac ?os)\b.{0,20}|support(?:ed)? .{0,20}(?:systems?|platforms?)`,
      String.raw`\b(?:windows|mac ?os|os x)\b`,
    ),
    reason: "where it runs",
  },
  {
    asks: asked(
      String.raw`\b(?:can|may|should|allowed|okay?|policy)\b.*\b(?:ai|llms?|chatgpt|copilot|claude)\b.*\b(?:patch|pull request|PR|contribut\w*|issue|code)\b`,
      String.raw`\b(?:ai|llms?) (?:generated|policy|contributions?)\b`,
    ),
    files: ["AI_POLICY*", "[Aa][Ii]-*", "CONTRIBUTING*", "README*", "*.md"],
    ...section(String.raw`(?:.{0,30} )?(?:AI|LLMs?)(?:[- ].{0,30})?`, String.raw`\b(?:AI|LLMs?|copilot|chatgpt)\b`),
    reason: "what it says of AI",
  },
  {
    asks: asked(
      String.raw`\bcommit messages?\b.*\b(?:look|written|formatted|be|follow)|\bcommit (?:message )?(?:conventions?|format|style)\b`,
      String.raw`\bhow (?:do|should|to) (?:${who} )?(?:write|format) (?:an? |my |the )?commit messages?\b`,
    ),
    files: ["CONTRIBUTING*", "DEVELOP*", "HACKING*", "COMMIT*", "*.md", "*.rst", "*.adoc"],
    ...section(
      "commit messages?(?: (?:format|guidelines|conventions?|style))?|commits",
      String.raw`\bcommit (?:message|summary|title)`,
    ),
    reason: "how a commit is described",
  },
  {
    asks: asked(
      String.raw`\b(?:add|edit|update|write|touch|need|have to|must|should|require\w*)\b.*\b(?:change ?log|release notes?|news fragment)\b.*\b(?:PR|pull request|patch|change|contribut\w*|entry|myself)\b`,
      String.raw`\b(?:how|where|when) (?:do|can|should|must|to) (?:${who} )?(?:add|edit|update|write|put)\b.{0,20}\b(?:change ?log|release notes?|news fragment)\b`,
    ),
    except: /\bwhy\b/i,
    files: ["CONTRIBUTING*", "DEVELOP*", "HACKING*", "MAINTAIN*", "pull_request_template*", "PULL_REQUEST_TEMPLATE*"],
    ...section(
      String.raw`.{0,30}\b(?:change ?logs?|release notes?|news)\b.{0,20}`,
      String.raw`\b(?:change ?logs?|release notes?|news fragments?)\b`,
    ),
    reason: "how a change is noted",
  },
  {
    asks: /\b(?:how|can|may|where)\b.*\b(?:contribut\w*|send (?:a )?(?:patch|pull request)|submit)\b|^\W*contributing\W*$|\b(?:include|put|write|belongs?|needs?|requires?|required)\b.*\b(?:pull request|PR)\b/i,
    except: /\b(?:form|input)\b/i,
    files: ["CONTRIBUTING*", "HACKING*", "pull_request_template*", "PULL_REQUEST_TEMPLATE*"],
    pattern: "\\S.*(?:contribut|pull request)|^#|^<!--|^[-*] ",
    reason: "how to contribute",
    height: 16,
  },
  {
    asks: /\b(?:what(?:['’]?s| is| has| was)? (?:new|changed)|^\W*(?:the )?change ?log\W*$|\b(?:show|see|read|where)\b.*\bchange ?log|release notes|(?:last|latest|newest|recent) (?:release|version|changes))\b/i,
    except: /\b(?:how|why)\b/i,
    files: ["CHANGELOG.md", "CHANGELOG*", "CHANGES*", "NEWS*", "HISTORY*", "RELEASES*", "changelog*", "changes*"],
    pattern: String.raw`^(?:#+ .*|=* ?|\* |-+ )?(?:version )?\[?v?\d+\.\d+`,
    reason: "the last changes",
    height: 20,
    end: String.raw`^(?:#+ |version )?\[?v?\d+\.\d+`,
  },
  {
    asks: /\b(?:report\w*|disclos\w*|tell|contact|found)\b.*\b(?:vulnerabilit\w*|security|exploits?)\b|\b(?:vulnerabilit\w*|security (?:issue|problem|bug|hole|flaw))\b.*\b(?:report\w*|disclos\w*|tell|contact|go)\b|\bsecurity contact\b/i,
    except: /\b(?:why)\b/i,
    files: ["SECURITY*"],
    pattern: securityLine,
    best: String.raw`^(?:#+|=+|\*\*)\s.*(?:report|disclos|contact)`,
    reason: "how to report a vulnerability",
    height: 16,
  },
  {
    asks: /\bsecurity (?:policy|issue|(?:bug)?fix(?:es)?|updates|patches|support)\b/i,
    except: /\b(?:why)\b/i,
    files: ["SECURITY*"],
    pattern: `${securityLine}|support`,
    best: String.raw`^(?:#+|=+|\*\*)\s.*(?:support|version)`,
    reason: "the security policy",
    height: 16,
  },
];

/**
 * The place that answers a question which most projects answer.
 * @param own the words of the project's name
 */
export function usualPlace(text: string, own: ReadonlySet<string>): SpecialPlace | undefined {
  const plain = withIt(text, own);
  return usual.find(({ asks, except }) => asks.test(plain) && except?.test(plain) !== true);
}
