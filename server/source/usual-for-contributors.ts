import { asked, it, who } from "./question-forms.ts";
import { heading, section, type UsualPlace } from "./special-place.ts";

const oneTest = String.raw`(?:only|single|one|specific|particular|individual)(?: (?!of|or\b)[\w-]+){0,3} tests?\b`;

/** A command for tests, at the beginning of a line or of code in it. */
const testCommand = String.raw`(?:^\W{0,10}(?:run:\s+)?|(?<!:)\x60)(?:(?:npm|pnpm|yarn|bun) (?:run )?test|(?!cargo check)(?:go|cargo|dotnet|mix|swift|composer|flutter|deno|sbt|lein|zig build|rake|make|just|task|bazel) (?:test|check)|cargo nextest|(?:\w+ -m |(?:uv|poetry|pdm|hatch|rye|pixi) run (?:\S+ )*?|\w+ run )?(?:pytest|tox|nox)|(?:bundle exec )?(?:rspec|rake(?=\s*(?:$|\x60))|rake (?:test|spec))|(?:\./)?mvnw? .*(?:test|verify)|(?:\./)?gradlew? .*(?:test|check)|phpunit|ctest)\b(?!-)|^(?:test|check):|^\s*"test":`;
/** Says that something has several of these. */
export function manyStages(nouns: string): string {
  return String.raw`\b(?:two|three|four|five|six|seven|several|multiple|main|following)\b[^.]{0,24}\b(?:${nouns})\b`;
}
const packagePart = "(?:module|package|file|folder|crate|class|workspace|gem|project)";

/** Questions of those who work on a project. */
export const forContributors: readonly UsualPlace[] = [
  {
    asks: asked(
      String.raw`\bhow (?:do|can|should|would|to)\b.*\b(?:run|execute|start)\b.*\btests?\b|^\W*(?:run|execute) (?:all |the |its |my )*(?:unit |integration )?tests?\b|\btest command\b|\bhow (?:is|are) (?:(?:it|this)\b.*\btested|(?:the )?tests?\b.*\b(?:run|built|executed|started))\b`,
      String.raw`^\W*(?:the |what(?:['’]?s| is) the )?(?:commands?|steps?) (?:to|for) (?:run\w* |execut\w* )?(?:all |the |its |unit )*tests?(?: suite)?(?: locally)?\W*$`,
      String.raw`\bhow (?:can|do|should) (?:${who}|(?:the )?(?:maintainers|developers|contributors)) (?:(?:test|check) (?:my|our|your|their|the|an?) (?:own )?changes?|test ${it}\W*$|check (?:that|if|whether) (?:everything|nothing|it) (?:still )?(?:works|passes|broke))`,
      String.raw`\bwhere (?:are the tests|do the tests live)\b|\b(?:no|find (?:the|any)|where are the) tests?(?: folder| directory| suite)?\b.*\b(?:live|test|tested|run)\b|^\W*(?:npm|yarn|pnpm|cargo|go|make|mvn|gradle|rake) test\W*$`,
      String.raw`\bwhat (?:do|should|must) ${who} run before (?:${who} )?(?:push|commit|open|send|submit)\w*\b|\b(?:which|what) test(?:ing)? (?:runner|framework)\b`,
    ),
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
      "*.md",
      "*.rst",
      "tox.ini",
      "noxfile.py",
      "[Cc][Ii]*.y*ml",
      "[Tt]est*.y*ml",
    ],
    pattern: String.raw`${testCommand}|\btest suite\b|\brun(?:ning)? (?:the |all )?tests\b`,
    best: testCommand,
    reason: "how to run the tests",
    height: 8,
    end: `^\\s*\`\`\`|${heading}`,
  },
  {
    asks: asked(
      String.raw`\b(?:run|execute|start)\b.*\b(?:only|single|one|specific|particular|individual)\b.*\btests?\b`,
      String.raw`\b(?:run|execute)\b.*\btests? (?:of|for|in) (?:only |just )?(?:one|a single) ${packagePart}\b`,
    ),
    except: /\bwhy\b/i,
    files: ["CONTRIBUTING*", "DEVELOP*", "HACKING*", "TEST*", "README*", "Makefile", "*.md", "*.rst"],
    pattern: String.raw`\brun\w*\b.*\b${oneTest}|\b${oneTest}.*\brun\b|\btests?\b.*\b(?:specific|single|one|individual|particular|given) ${packagePart}\b|\btest .*(?:--workspace|--filter|--package|-p|-pl|-k)[= ]`,
    best: String.raw`^(?:#+|=+)\s.*\b${oneTest}`,
    reason: "how to run one test",
    height: 14,
    end: heading,
  },
  {
    asks: asked(
      String.raw`\bhow (?:do|can|should|to) (?:${who} )?(?:build|compile) (?:${it}|(?:the )?(?:code|sources?))\b`,
      String.raw`\b(?:build|compile|install|building|compiling) (?:${it} )?from (?:the )?sources?\b`,
      String.raw`^\W*(?:build|building|compil\w+) (?:instructions|steps|guide)\W*$|^\W*(?:build|compile) ${it}(?: myself| locally)?\W*$|^\W*(?:building|compiling) (?:${it} )?(?:on|for|under) \w+`,
      String.raw`\b(?:make|do|create|produce|build|run) (?:an? |the |my )?(?:release|debug|optimi[sz]ed|production|static|local|dev(?:elopment)?) (?:build|binary|copy)(?=\W*$| (?:of|for|on|with|and|or|from|instead|locally)\b)|\bcross[- ]compile\b`,
      String.raw`\binstall(?:ing)? (?:${it} )?(?:from|off) (?:git|github|main|master|a checkout)\b`,
    ),
    except: /^\W*what\b/i,
    files: [
      "BUILD*.*",
      "INSTALL*",
      "CONTRIBUTING*",
      "DEVELOP*",
      "HACKING*",
      "README*",
      "[Ii]nstall*.md",
      "[Ii]nstall*.rst",
    ],
    ...section(
      String.raw`(?:build|compil)ing(?: .{0,24})?|build(?: (?:instructions|steps|guide))?|compil(?:e|ation)|.{0,20}from (?:the )?sources?`,
      String.raw`(?:^\W{0,10}(?:run:\s+)?|\x60)(?:make(?= *(?:$|\x60)| +[\w.-]+ *(?:$|\x60))|(?:go|cargo) (?:build|install)|cmake|(?:npm|pnpm|yarn) (?:run )?build|(?:\./)?gradlew? .*(?:build|assemble)|(?:\./)?mvnw? .*(?:package|install)|(?:\./)?configure|meson|zig build|dotnet build|pip3? install (?:-e )?\.)(?=\s|\x60|$)`,
    ),
    reason: "how to build it",
  },
  {
    asks: asked(
      String.raw`\bhow (?:is|are) (?:an? |the |new |its )*(?:releases?|versions?) (?:made|cut|done|published|created|built|tagged|released)\b`,
      String.raw`\bhow (?:do|should) (?:we|they|maintainers) (?:make|cut|do|publish|create|tag) (?:an? |the )?(?:new )?(?:releases?|versions?)\b`,
      String.raw`\bhow (?:do|can|should|to) (?:${who} )?(?:make|cut|publish|create|tag) (?:an? |the )?(?:new )?(?:releases?|versions?) of ${it}\W*$`,
      String.raw`\brelease (?:process|checklist|procedure)\b`,
      String.raw`\bpublish (?:an? |the )?(?:new )?(?:version|release)\W*$|\bsteps (?:for|of|to) (?:an? |the )?(?:make an? )?(?:new )?release\b|\bhow often (?:are|is|do|does)\b.*\breleas`,
      String.raw`\bversion(?: number)? (?:is |gets )?(?:bumped|increased)\b|\bnew versions? gets? (?:on)?to (?:npm|pypi|crates|maven|rubygems|nuget|packagist)\b|^\W*who (?:publishes|releases)\b`,
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
      String.raw`\bhow (?:is|are) (?:the )?(?:code|sources?) (?:formatted|linted|styled)\b|\bformat (?:my|our|the) code\b`,
      String.raw`^\W*(?:do|does) (?:you|we|they|${it}) use (?:prettier|eslint|black|ruff|flake8|rubocop|clang-format|gofmt|rustfmt|clippy|golangci\S*)\b`,
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
      String.raw`\b(?:set ?up|prepare|get|create) (?:an? |the |my |your )?(?:local )?(?:dev|development) (?:environment|setup|version|copy)\b`,
      String.raw`\bhow (?:do|can|should|to) (?:${who} )?(?:start developing|develop|hack on|work on) ${it}\W*$`,
      String.raw`^\W*what (?:do|should|must) ${who} (?:(?:have|need) to )?(?:install|have|set ?up|need)\b.*\b(?:before|to)\b.*\b(?:build|compile|develop|hack on|work on|run) ${it}\b`,
      String.raw`\bget(?:ting)? started (?:developing|hacking)\b|\bfirst steps (?:as|for) (?:an? )?(?:new )?(?:contributor|developer)\b`,
      String.raw`^\W*how (?:do|can|should|to) (?:${who} )?(?:run|start|debug) ${it} (?:from (?:the )?sources?|locally|in development)\W*$`,
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
      String.raw`\bwhat (?:runs|is run|gets run|is checked) (?:on|for|in) (?:every|each|an?) (?:pull request|pr|push|commit)\b|\b(?:on|with|against) (?:which|what) (?:systems|platforms|\w+ versions|versions)\b.*\btested\b`,
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
    asks: asked(
      String.raw`\b(?:which|what) branch(?:es)?\b.*\b(?:pull requests?|PRs?|patch(?:es)?|target|features?|fix(?:es)?|develop\w*|contribut\w*|work|base|start|fork)\b`,
      String.raw`\b(?:base|branch|target|rebase)\b.*\b(?:PR|pull request|branch)\b.*\b(?:on|off|from|against|or)\b|\bbranching (?:model|strategy|policy)\b`,
    ),
    files: [
      "CONTRIBUTING*",
      "DEVELOP*",
      "HACKING*",
      "pull_request_template*",
      "MAINTAIN*",
      "MAINTENANCE*",
      "README*",
      "*.md",
      "*.rst",
    ],
    ...section(
      String.raw`.{0,20}branch(?:es|ing)?(?: .{0,20})?`,
      String.raw`\b(?:against|target\w*|base[ds]?|from|off|onto|to|submit\w*|work)\b.*\bbranch(?:es)?\b`,
    ),
    reason: "which branch to use",
    height: 10,
  },
  {
    asks: asked(
      String.raw`\b(?:how|can|may|where)\b.*\b(?:contribut\w*|send (?:a )?(?:patch|pull request)|submit)\b|^\W*contributing\W*$|\b(?:include|put|write|belongs?|needs?|requires?|required)\b.*\b(?:pull request|PR)\b`,
      String.raw`^\W*(?:the )?contribut(?:ion|ing) (?:guide\w*|rules|process)\W*$|\bgood first issues?\b`,
      String.raw`\b(?:sign|need|is there|requires?) (?:an? |the )?(?:cla|dco|contributor licen[cs]e)\b|\b(?:cla|dco) (?:is )?(?:required|needed)\b|\bsign(?:ed)?[- ]off\b`,
      String.raw`\b(?:rules for|accept|welcome)\b.*\b(?:pull requests?|PRs|patches|contributions)\b`,
      String.raw`\b(?:want|like) to (?:fix|add|propose|suggest)\b.*\b(?:process|procedure|what are the steps)\b|\bpropose an? (?:new )?feature\b`,
    ),
    except: /\b(?:form|input)\b/i,
    files: ["CONTRIBUTING*", "HACKING*", "pull_request_template*", "PULL_REQUEST_TEMPLATE*"],
    pattern: "\\S.*(?:contribut|pull request)|^#|^<!--|^[-*] ",
    reason: "how to contribute",
    height: 16,
  },
  {
    asks: asked(
      String.raw`\bhow (?:are|is|do|can|to) (?:${who} )?(?:the )?(?:build |built |generate )?(?:the )?(?:docs|documentation|website|manual)(?: (?:built|generated|made|published|deployed|locally))+\W*$`,
      String.raw`\bbuild (?:the )?(?:docs|documentation|website|manual)\b`,
    ),
    files: ["CONTRIBUTING*", "DEVELOP*", "HACKING*", "docs/README*", "doc/README*", "README*", "*.md", "*.rst"],
    ...section(
      String.raw`(?:build(?:ing)?|generat(?:e|ing)|writing|updating) .{0,20}(?:docs|documentation|website)|(?:docs|documentation|website)`,
    ),
    reason: "how the documentation is built",
  },
  {
    asks: /\b(?:what|which|list|explain|describe)\b.{0,40}\b(?:stages|phases|passes|steps)\b/i,
    except:
      /\bsteps (?:to|for|do|should|must|are needed)\b|\b(?:how (?:do|can|should|to)|install|releas\w*|contribut\w*)\b/i,
    files: ["*rchitecture*.*", "*"],
    pattern: String.raw`${manyStages("stages|phases|passes|steps")}|^\s*[A-Z\d]+_[A-Z\d_]+_(?:PHASE|STAGE)\s*(?:=\s*\d+\s*)?(?:,|$)`,
    best: manyStages("stages|phases|passes|steps"),
    hasSubject: true,
    reason: "its stages",
    height: 24,
    end: heading,
  },
];
