/** Two or three command lines to copy for each command, by its full name; the program's own stand under "citewell". */
export const examples: Readonly<Record<string, readonly string[]>> = {
  citewell: [
    'citewell ask -q "How are routes matched?" -r npm:express',
    'citewell ask -q "Where is the retry policy?" -r .',
    "citewell add https://github.com/expressjs/express",
  ],
  "citewell ask": [
    'citewell ask -q "How does zod check an email?" -r npm:zod',
    'git diff | citewell ask -q "What does this change break?" -r .',
    "citewell ask -q @question.md -r https://github.com/honojs/hono --json",
  ],
  "citewell search": [
    'citewell search "retry with backoff" -r npm:undici',
    'citewell search --exact "JSON.parse(" -r . --glob "src/**" --context 2',
    "citewell search --batch queries.ndjson -r . > results.ndjson",
  ],
  "citewell verify": [
    'citewell verify README.md "docs/**/*.md" --format github',
    "pbpaste | citewell verify - -r npm:express --json",
  ],
  "citewell repl": ["citewell repl", "citewell repl --provider builtin"],
  "citewell threads": ["citewell threads", "citewell threads resume 4f2a", "citewell threads export 4f2a > answers.md"],
  "citewell recheck": ["citewell recheck", "citewell recheck 4f2a --json"],
  "citewell add": [
    "citewell add https://github.com/sveltejs/svelte -s documentation",
    'citewell add ./packages/core --name core --notes "our own library"',
    "citewell add npm:@tanstack/query-core",
  ],
  "citewell resources": ["citewell resources", "citewell resources --json"],
  "citewell refresh": ["citewell refresh", "citewell refresh svelte express"],
  "citewell remove": ["citewell remove express", "citewell remove express --dry-run"],
  "citewell clear": ["citewell clear --dry-run", "citewell clear --yes"],
  "citewell reference": ["citewell reference https://github.com/honojs/hono"],
  "citewell deps": ["citewell deps zod express", "citewell deps --all"],
  "citewell status": ["citewell status", "citewell status --json"],
  "citewell init": ["citewell init --storage local", "citewell init --storage global --force"],
  "citewell wipe": ["citewell wipe --dry-run", "citewell wipe --yes"],
  "citewell connect": [
    "citewell connect",
    "citewell connect -p openrouter -m openai/gpt-5 --key-file ~/openrouter.key",
    "citewell connect -p github-copilot --client-id Iv1.0123456789abcdef",
    "citewell connect -p openai-compat -m qwen3-coder --base-url http://127.0.0.1:11434/v1 --name ollama",
  ],
  "citewell disconnect": ["citewell disconnect", "citewell disconnect -p openrouter"],
  "citewell hosted": [
    "citewell hosted",
    "citewell hosted --host 0.0.0.0 --database postgres://citewell@db/citewell --model anthropic/claude-sonnet-5",
  ],
  "citewell hosted key": [
    "citewell hosted key create cursor",
    "citewell hosted key create ci --scope read --days 90",
    "citewell hosted key revoke cursor",
  ],
  "citewell hosted project": ["citewell hosted project create payments", "citewell hosted project list"],
  "citewell serve": ["citewell serve", "citewell serve --port 0 --json"],
  "citewell mcp": ["citewell mcp", "citewell mcp local"],
  "citewell mcp skill": ["mkdir -p .claude/skills/citewell && citewell mcp skill > .claude/skills/citewell/SKILL.md"],
  "citewell mcp local": [
    "citewell mcp local",
    "citewell mcp local --client claude-code --client codex --scope user --yes",
    "citewell mcp local --client vscode --remove",
  ],
  "citewell doctor": ["citewell doctor", "citewell doctor --deep --json"],
  "citewell completion": [
    "source <(citewell completion bash)",
    "citewell completion fish > ~/.config/fish/completions/citewell.fish",
  ],
};
