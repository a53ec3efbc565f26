/** `~` for the home folder, however its path is written: as JSON, with either kind of slash, in an address. */
export function withoutHome(text: string, home: string): string {
  if (home.length < 2) return text;
  const slashed = home.replaceAll("\\", "/");
  const forms = [JSON.stringify(home).slice(1, -1), home, slashed, encodeURI(slashed)];
  return [...new Set(forms)].reduce((shown, form) => shown.replaceAll(form, "~"), text);
}
