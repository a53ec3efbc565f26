/** Words of the server begin in lower case and end without a full stop: for where they stand by themselves. */
export function sentence(text: string): string {
  const start = text.charAt(0).toLocaleUpperCase() + text.slice(1);
  return /[.!?…]$/.test(start) ? start : `${start}.`;
}
