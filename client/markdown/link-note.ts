/**
 * What a view shows behind a link, so that the text of the link cannot hide where it leads: the host of a web address, any
 * other address whole. Undefined if the text says it: an address at this host, such as the link's own.
 */
export function linkNote(url: string, text: string): string | undefined {
  if (!isWebAddress(url)) return [url, url.replace(/^mailto:/i, "")].includes(text) ? undefined : url;
  const target = new URL(url);
  const shown = [text, `https://${text}`].filter(isWebAddress).map((address) => new URL(address))[0];
  // `https://github.com@evil.example` leads to evil.example, and a host in other letters only looks the same.
  const isShown = shown?.host === target.host && text.toLowerCase().includes(target.host);
  return isShown && ![target, shown].some(({ username, password }) => `${username}${password}` !== "")
    ? undefined
    : target.host;
}

/** Whether a link leads to a web page. */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
