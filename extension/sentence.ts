/** Words of the server begin in lower case and end without a full stop: for where they stand by themselves. */
export function sentence(text: string): string {
  // A path or the name of a host stays as it is.
  const start = text.replace(/^\p{Ll}+(?=[\s,']|$)/u, (word) => word.charAt(0).toLocaleUpperCase() + word.slice(1));
  return /[.!?…]$/.test(start) ? start : `${start}.`;
}
