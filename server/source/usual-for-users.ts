import { asked, it, who } from "./question-forms.ts";
import { heading, section, type UsualPlace } from "./special-place.ts";

const securityLine = "report|vulnerab|disclos|security";

const headed = "^(?:={1,2} |#{1,2} (?:title: )?|title: )";
/** A heading of how a program calls the project. */
const fromCode = String.raw`(?:(?:(?:node(?:\.?js)?|javascript|js|python|go|rust|java|ruby|library|programmatic) )?(?:api|sdk)(?: (?:reference|usage))?|.{0,40}\b(?:sdk|as an? (?:\w+ )?library|programmatic(?:ally)?(?: (?:usage|use|access))?|library usage|(?:from|into) (?:another|other|your(?: own)?) (?:\w+ )?(?:code|programs?|scripts?|applications?|apps?|tools?)))\W{0,6}$`;

/** Questions of those who use a project. */
export const forUsers: readonly UsualPlace[] = [
  {
    asks: asked(
      String.raw`^\W*(?:(?:what|which)\w*|is|under|can|may|how is)\b.*\blicen[cs]|^\W*licen[cs]e\W*$`,
      String.raw`\b(?:(?:can|may|could) (?:${who}|${it}|my company)|allowed|free (?:to|for)|okay? to)\b.*\b(?:closed[- ]source|proprietary|commercial(?:ly)?)\b`,
      String.raw`^\W*(?:legal|licen[cs]ing) (?:terms|information)\W*$`,
      String.raw`^\W*is ${it} (?:under )?(?:the |an? )?(?:mit|[al]?gpl\w*|apache|bsd|mpl|isc)\b`,
      String.raw`^\W*is ${it} (?:really |still )?(?:open[- ]source|free software)\b`,
      String.raw`^\W*(?:under|on) (?:which|what) (?:terms|conditions)\b|\ballowed to (?:fork|sell|use|distribute|modify|copy|ship)\b|\bha(?:ve|s) to (?:credit|attribute)\b`,
      String.raw`^\W*(?:can|may) ${who} use ${it} (?:at work|for free|in (?:my|our|an?) (?:\w+ )?(?:company|product|business|project))\b`,
    ),
    except: /\b(?:third|dependenc\w*|librar\w*|libs?|check\w*|header|key)\b/i,
    // A file beside those of several licences says which of them apply.
    files: ["LICENSE", "LICEN[CS]E", "LICEN[CS]E.*", "COPYING*", "LICEN[CS]E*", "UNLICENSE*", "licen[cs]e*"],
    pattern: "licen[cs]e|copyright|permission|public domain",
    reason: "the licence",
    height: 16,
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
      String.raw`^\W*(?:discord|slack|irc|mailing list|forum|gitter)\W*$`,
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
      String.raw`\bwhere to (?:report|file|open|submit|raise) (?:an? )?(?:bugs?|issues?)\b|\bfound an? (?:bug|problem)\b.*\b(?:report|where|file)\b`,
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
      String.raw`^\W*who (?:is|are) (?:in )?the (?:core |main )?(?:team|authors?|maintainers?|owners?|developers?|contributors)(?: (?:of|behind) ${it})?\W*$`,
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
      String.raw`^\W*how (?:do|can|should|to) (?:${who} )?(?:install|set ?up|get started with|start using) ${it}\W*$`,
      String.raw`^\W*install(?:ation|ing)?(?: instructions| steps| guide)?\W*$|^\W*how (?:do|can|should|to) (?:${who} )?set ${it} up\W*$`,
      String.raw`^\W*(?:can|how do|how can) ${who} install ${it} (?:with|via|using|from|through|on) \S+\W*$|^\W*is there an? (?:docker image|homebrew formula|installer|binary|prebuilt binary)(?: (?:of|for) ${it})?\W*$`,
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
      String.raw`\b(?:use|using|call|run|embed|invoke|drive|start|import|integrate)\b[^?]*\b(?:as an? (?:\w+ )?library|programmatically)\b`,
      String.raw`\b(?:call|run|embed|invoke|drive|start|use(?! ${it} in\b)) ${it} (?:in|from|inside|within|into) (?:(?:my|our|your|an?|another|other) )?(?:own )?(?:[\w.+#]+ )?(?:scripts?|programs?|code|app(?:lication)?s?|process)\b`,
      String.raw`\binstead of (?:shelling out|spawning|the (?:cli|command[- ]line))\b|\bwithout shelling out\b`,
      String.raw`^\W*(?:is there|does ${it} have) an? (?:[\w.+#]+ )?(?:api|sdk)(?: for ${it})?\W*$`,
    ),
    except: /\b(?:why|fails?|errors?)\b/i,
    files: ["*[Ss][Dd][Kk]*.*", "*[-_]api.*", "[Aa][Pp][Ii].*", "README*", "*.md", "*.rst", "*.adoc"],
    pattern: `${headed}${fromCode}|${String.raw`\b(?:us(?:e|ed|ing|able)|call|run|embed|integrat(?:e|ing))\b.{0,40} as an? (?:\w+ )?library\b|\bprogrammatic(?:ally)?\b`}`,
    best: `${headed}${fromCode}`,
    underlined: `^${fromCode}`,
    end: heading,
    reason: "how to call it from code",
    height: 28,
  },
  {
    asks: asked(
      String.raw`^\W*where (?:is|are|can ${who} (?:find|read)) (?:the |its |more |any )?(?:documentation|docs|manual|api docs)(?: (?:of|for) ${it})?\W*$`,
      String.raw`^\W*(?:documentation|docs)\W*$`,
      String.raw`^\W*is there (?:an? |any )?(?:website|home ?page|documentation|docs|manual|user guide|tutorial)(?: (?:of|for) ${it})?\W*$|^\W*where can ${who} (?:read|learn|find(?: out)?) more(?: about ${it})?\W*$`,
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
      String.raw`\b(?:what|which) version of (?:the )?(?:language|compiler|toolchain|runtime)\b`,
      String.raw`^\W*(?:what|which) (?:do ${who}|is|are) (?:need|required|needed) (?:to|for) (?:build|run|install|use|building|running)\w* ${it}\W*$`,
      String.raw`^\W*what are (?:the |its )?(?:system )?(?:requirements|prerequisites)\b`,
      String.raw`\b(?:which|what) (?:compilers?|toolchain|c\+*(?: language)? standard|c\+\+ version|jdk|sdk)(?: (?:/|or|and) [\w+]+(?: standard| version)?)? (?:do ${who}|does ${it}|is|are)\b.*\b(?:need|required?|supported|use)`,
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
      String.raw`\b(?:which|what|minimum)\b.*\bpackage manager\b|^\W*(?:does|do) (?:${it}|${who})\b.*\b(?:npm|yarn|pnpm|bun),? or (?:npm|yarn|pnpm|bun)\b`,
    ),
    files: ["package.json", "CONTRIBUTING*", "DEVELOP*", "README*"],
    pattern: String.raw`^\s*"packageManager"\s*:|\bpackage manager\b`,
    best: String.raw`^\s*"packageManager"\s*:`,
    reason: "the package manager",
    height: 1,
  },
  {
    asks: asked(
      String.raw`^\W*(?:does|will|can) ${it} (?:run|work|build|install)s? on (?:windows|mac ?os|linux|macs?|freebsd|arm\w*)\b`,
      String.raw`\bis (?:windows|mac ?os|linux|freebsd) supported\b|^\W*does ${it} support (?:windows|mac ?os|linux|freebsd)\b`,
      String.raw`\bis (?:arm\w*|x86\w*|android|ios|risc\S*) supported\b|^\W*(?:does|will|can) ${it} (?:run|work)s? in (?:the |an? )?browsers?\W*$`,
    ),
    files: ["SUPPORTED*", "*PLATFORM*", "README*", "INSTALL*"],
    ...section(
      String.raw`(?:supported )?(?:platforms?|operating systems?)|.{0,20}\b(?:windows|mac ?os)\b.{0,20}|support(?:ed)? .{0,20}(?:systems?|platforms?)`,
      String.raw`\b(?:windows|mac ?os|os x)\b`,
    ),
    reason: "where it runs",
  },
  {
    asks: /\b(?:what(?:['’]?s| is| has| was)? (?:new|changed)|^\W*(?:is there )?(?:the |a )?change ?log\W*$|\b(?:show|see|read|where)\b.*\bchange ?log|release notes|(?:last|latest|newest|recent) (?:release|version|changes))\b/i,
    except: /\b(?:how|why)\b/i,
    files: ["CHANGELOG.md", "CHANGELOG*", "CHANGES*", "NEWS*", "HISTORY*", "RELEASES*", "changelog*", "changes*"],
    pattern: String.raw`^(?:#+ .*|=* ?|\* |-+ )?(?:version )?\[?v?\d+\.\d+`,
    reason: "the last changes",
    height: 20,
    end: String.raw`^(?:#+ |version )?\[?v?\d+\.\d+`,
  },
  {
    asks: asked(
      String.raw`\b(?:report\w*|disclos\w*|tell|contact|found)\b.*\b(?:vulnerabilit\w*|security|exploits?)\b|\b(?:vulnerabilit\w*|security (?:issue|problem|bug|hole|flaw))\b.*\b(?:report\w*|disclos\w*|tell|contact|go)\b|\bsecurity contact\b`,
      String.raw`\bbug bounty\b`,
    ),
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
  {
    asks: asked(String.raw`\bcode of conduct\b`),
    files: ["CODE_OF_CONDUCT*", "CONTRIBUTING*", "README*"],
    ...section("(?:contributor )?(?:covenant )?code of conduct.{0,20}", String.raw`\bcode of conduct\b`),
    reason: "the code of conduct",
  },
  {
    asks: asked(
      String.raw`^\W*(?:is there|where is|what is) (?:an? |the )?road ?map\b|^\W*road ?map\W*$`,
      String.raw`\bwhat(?:['’]?s| is)? (?:planned|coming)(?: next)?\W*$|\bwhat are the plans\b`,
    ),
    files: ["ROADMAP*", "[Rr]oadmap*.*", "README*", "TODO*"],
    ...section("road ?map|planned(?: features)?|future(?: plans)?|to-?do", String.raw`\broad ?map\b`),
    reason: "what is planned",
  },
  {
    asks: asked(
      String.raw`\b(?:how|where|can|may) (?:can |do )?${who} (?:donate|sponsor|support (?:it|this|you) financially)\b|^\W*who (?:sponsors|funds|pays for) ${it}\W*$`,
    ),
    files: ["README*", "FUNDING.y*ml", "BACKERS*", "SPONSORS*"],
    ...section(
      "sponsors?(?:hip)?|donat(?:e|ions?|ing)|backers?|fund(?:ing|ers)|support(?:ing)? .{0,20}",
      String.raw`^(?:github|open_collective|patreon|ko_fi|custom|tidelift):|\b(?:sponsor|donat)`,
    ),
    reason: "how to support it",
  },
];
