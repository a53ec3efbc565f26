/**
 * Whether what a use names may be what declares: the same name, or a variable and a type: `req` and `Request`, `error` and
 * `ZodError`.
 */
export function isAlike(used: string, declared: string): boolean {
  if (used === declared) return true;
  const [a, b] = [used.toLowerCase(), declared.toLowerCase()];
  return (
    /^[A-Z]/.test(declared) && a.length >= 3 && (b.startsWith(a) || b.endsWith(a) || (b.length >= 3 && a.endsWith(b)))
  );
}
