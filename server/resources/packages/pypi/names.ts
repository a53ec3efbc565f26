/** The one spelling of a name (https://peps.python.org/pep-0503/#normalized-names). */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}
