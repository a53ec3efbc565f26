import { CitewellError } from "../../server/errors.ts";
import { quoteValue } from "../../server/protocol/validation.ts";

/** The options of mail. */
export interface MailOptions {
  mailUrl?: string;
  mailFrom?: string;
}

/** The settings of mail; undefined without a server. Messages do not repeat the URL, which has a password. @throws InvalidUsage */
export function readMail(
  { mailUrl: url = "", mailFrom: from = "" }: MailOptions,
  { publicUrl }: { publicUrl: string | undefined },
): { url: string; from: string } | undefined {
  // An empty variable counts as unset.
  if (url === "" && from === "") return undefined;
  if (url === "") throw refuse("--mail-from needs --mail-url");
  if (from === "") throw refuse("--mail-url needs --mail-from");
  if (!/^[^\r\n]*[^\s@<>]@[^\s@<>]+>?$/.test(from)) {
    throw refuse(`--mail-from ${quoteValue(from)} is not an e-mail address`);
  }
  if (!isMailServer(url)) throw refuse("--mail-url is not an smtps:// or smtp:// address");
  if (publicUrl === undefined) throw refuse("--mail-url needs --public-url, which links in mails begin with");
  return { url, from };
}

function isMailServer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isEncoded = !/%(?![\da-f]{2})/i.test(username + password);
  return hostname !== "" && (protocol === "smtps:" || protocol === "smtp:") && isEncoded;
}

function refuse(message: string): CitewellError {
  return new CitewellError("InvalidUsage", message, {
    hint: "docs/hosted.md, Mail, has an example; special characters of the password are percent-encoded",
  });
}
