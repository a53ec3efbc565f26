import { unescape } from "node:querystring";
import * as tls from "node:tls";
import { CitewellError, messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { isLoopback } from "../../lib/loopback.ts";
import { importOptional } from "../store/optional-package.ts";

/** The team's mail server. */
export interface MailSettings {
  /** `smtps://user:password@host:465`, or `smtp://` with STARTTLS. */
  url: string;
  /** `citewell@example.com`, or with a name: `Citewell <citewell@example.com>`. */
  from: string;
}

/** A mail of plain text. */
export interface Mail {
  /** One address. */
  to: string;
  subject: string;
  text: string;
}

/** Sends mails. Disposing of it waits for those that are being sent. */
export interface Mailer extends AsyncDisposable {
  /** Connects and signs in, and sends nothing. @throws MailFailed */
  check(): Promise<void>;
  /** @throws MailFailed (the server cannot be reached, or refuses the mail) */
  send(mail: Mail): Promise<void>;
  /** Runs `work` in the background; its failure is logged. */
  later(work: () => Promise<void>): void;
}

const timeoutMs = 10_000;

/**
 * Opens no connection yet: each mail opens its own.
 * @param options.ca certificates (PEM) trusted in addition to the built-in ones
 * @throws ToolMissing
 */
export async function openMailer(
  { url, from }: MailSettings,
  { ca, log }: { ca: readonly string[]; log: Log },
): Promise<Mailer> {
  const { createTransport } = await importOptional("nodemailer@10.6.0", () => import("nodemailer"));
  const { protocol, hostname, port, username, password } = new URL(url);
  const pass = unescape(password);
  const isSecure = protocol === "smtps:";
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    // Passwords and links must not cross a network unencrypted.
    requireTLS: !isSecure && !isLoopback(url),
    ...(username === "" ? {} : { auth: { user: unescape(username), pass } }),
    ...(ca.length === 0 ? {} : { tls: { ca: [...tls.rootCertificates, ...ca] } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketTimeout: 2 * timeoutMs,
  });
  const host = new URL(url).host;
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      // Some servers repeat the password in their response.
      const why = pass === "" ? messageOf(error) : messageOf(error).replaceAll(pass, "…");
      log.warn("mail-failed", { host, error: why.slice(0, 500) });
      throw new CitewellError("MailFailed", "the mail could not be sent", {
        hint: "try again later; if the problem persists, the operator finds the reason in the log",
        cause: error,
      });
    }
  };
  const running = new Set<Promise<void>>();
  return {
    check: () => attempt(() => transport.verify()),
    send: ({ to, subject, text }) =>
      attempt(() =>
        transport.sendMail({
          from,
          to: { name: "", address: to },
          subject,
          text,
          // Suppresses automatic replies such as absence notices: RFC 3834, 5.
          headers: { "Auto-Submitted": "auto-generated" },
        }),
      ),
    later(work) {
      const run = work()
        .catch((error: unknown) => {
          // `attempt` has already logged a `CitewellError`.
          if (!(error instanceof CitewellError)) log.error("mail-failed", { host, error });
        })
        .finally(() => running.delete(run));
      running.add(run);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running);
    },
  };
}
