/** The names of a file that stand for what is a package's: imported ones, and what is made of them, line by line. */
export interface OwnNames {
  /** Reads the next line of code: what it makes of such names is one as well. */
  read(code: string): void;
  has(name: string): boolean;
  /** What a name may be: the classes it is named to be, and the function that it was returned by. */
  typesOf(name: string): readonly string[];
  /** Whether a chain of calls goes on from such a name, before a place of the line that was read last. */
  continues(before: string): boolean;
}

/**
 * By text: `const app = express()`, `class User(BaseModel)`, `error: ZodError`, and the parameters of what is passed to it:
 * `app.get("/", (req, res) => …)`. A name that means another thing in another function counts everywhere.
 */
export function createOwnNames(imported: Iterable<string>): OwnNames {
  const own = new Set(imported);
  const types = new Map<string, Set<string>>();
  let isChainOwn = false;
  const hasOwn = (text: string) => (text.match(/[A-Za-z_$][\w$]*/g) ?? []).some((name) => own.has(name));
  return {
    read(code) {
      if (!/^\s*(?:\?\.|\.|[)\]}])/.test(code)) isChainOwn = hasOwn(code);
      for (const { name, of } of madeIn(code)) {
        own.add(name);
        types.set(name, new Set([...(types.get(name) ?? []), ...of]));
      }
    },
    has: (name) => own.has(name),
    typesOf: (name) => [...(types.get(name) ?? [])],
    continues: (before) => hasOwn(before) || (isChainOwn && /^\s*(?:\?\.|\.|[)\]}])/.test(before)),
  };

  function madeIn(code: string): { name: string; of: readonly string[] }[] {
    const found: { name: string; of: readonly string[] }[] = [];
    const [, target = "", path = ""] =
      /^\s*(?:export\s+)?(?:(?:const|let|var|val|final)\s+)?(?:mut\s+)?([\w$]+|\{[^}]*\}|[\w$]+(?:\s*,\s*[\w$]+)+)\s*(?::[^=]+)?\s*:?=(?![=>])\s*(?:await\s+|new\s+|&|\*)*([A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*)/.exec(
        code,
      ) ?? [];
    const [root = "", ...members] = path.split(/\.|::/);
    if (own.has(root)) {
      // `Client::new()` makes a client, `read_csv()` what it returns.
      const of = [members.at(-1) ?? root, ...members.slice(0, -1), root].filter(isType);
      const made = of.length > 0 ? of.slice(0, 1) : [members.at(-1) ?? root];
      for (const name of target.match(/[A-Za-z_$][\w$]*(?=\s*(?:,|\}|$))/g) ?? [])
        found.push({ name, of: name === root ? [] : made });
    }
    for (const [, name = "", type = ""] of code.matchAll(/([A-Za-z_$][\w$]*)\??\s*:\s*([^,;(){}=]+)/g)) {
      if (hasOwn(type)) found.push({ name, of: typesIn(type) });
    }
    // Go and Java write the type beside the name.
    for (const [, type = "", name = ""] of code.matchAll(/(?<![\w$.])([A-Z][\w$]*)(?:<[^>]*>)?\s+([a-z][\w$]*)\b/g)) {
      if (own.has(type)) found.push({ name, of: [type] });
    }
    for (const [, name = "", root = "", type = ""] of code.matchAll(/([a-z]\w*)\s+\*?([A-Za-z_]\w*)\.([A-Z]\w*)/g)) {
      if (own.has(root)) found.push({ name, of: [type] });
    }
    const [, name, bases = ""] = /^\s*(?:export\s+)?(?:abstract\s+)?class\s+([\w$]+)(.*)$/.exec(code) ?? [];
    if (name !== undefined && hasOwn(bases)) found.push({ name, of: typesIn(bases) });
    const [, before = "", parameters = ""] =
      /^(.*?)(?:\(([^()]*)\)\s*(?::[^=]+)?=>|function\b[^(]*\(([^)]*)\)|\|([^|]*)\|)/.exec(code) ?? [];
    if (/\(/.test(before) && hasOwn(before)) {
      found.push(...(parameters.match(/[A-Za-z_$][\w$]*/g) ?? []).map((one) => ({ name: one, of: [] })));
    }
    return found;
  }
}

function isType(name: string): boolean {
  return /^[A-Z]/.test(name);
}

function typesIn(text: string): string[] {
  return text.match(/(?<![\w$])[A-Z][\w$]*/g) ?? [];
}
