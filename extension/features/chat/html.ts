/** The parts of the chat's HTML page. */
export interface ChatPage {
  /** A nonce of this load alone; at least 128 random bits. */
  nonce: string;
  /** What the editor serves the extension's own files from. */
  cspSource: string;
  scriptUri: string;
  styleUri: string;
  /** The language of the page, as in `de` or `pt-br`. */
  language: string;
  title: string;
  /** The page's sentences in that language, by the English ones. */
  translations: Readonly<Record<string, string>>;
}

/**
 * The page of the chat. It may run our own script and its chunks, and show our own styles, fonts and pictures; it
 * reaches nothing else, whatever a model writes.
 */
export function chatHtml(page: ChatPage): string {
  const { nonce, cspSource, scriptUri, styleUri, language, title, translations } = page;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${cspSource}`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource}`,
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="${escape(language)}">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${escape(policy)}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escape(title)}</title>
    <link rel="stylesheet" href="${escape(styleUri)}" />
  </head>
  <body>
    <div id="root"></div>
    <script type="application/json" id="l10n">${JSON.stringify(translations).replaceAll("<", "\\u003c")}</script>
    <script type="module" nonce="${escape(nonce)}" src="${escape(scriptUri)}"></script>
  </body>
</html>
`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
