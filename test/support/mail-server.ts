import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { generate } from "selfsigned";
import { SMTPServer } from "smtp-server";
import { createChannel } from "../../server/lib/channel.ts";
import { temporaryFolder } from "./folder.ts";

/** A mail that arrived. */
export interface ReceivedMail {
  to: string[];
  headers: string;
  text: string;
  /** The first link in it. */
  link: string;
}

/** A mail server on loopback. */
export interface MailServer extends AsyncDisposable {
  /** The address with a user name and a password, over TLS. */
  url: string;
  password: string;
  /** The certificate file for `localhost`. */
  caFile: string;
  /** Waits for the next mail. */
  next(): Promise<ReceivedMail>;
  /** Further connections are refused. */
  stop(): Promise<void>;
}

/** Starts a real SMTP server over TLS. */
export async function startMailServer(): Promise<MailServer> {
  const folder = await temporaryFolder();
  const { private: key, cert } = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] },
    ],
  });
  const caFile = path.join(folder.path, "ca.pem");
  await writeFile(caFile, cert);
  const password = "a p@ss/word of the test";
  const mails = createChannel<ReceivedMail>();
  const server = new SMTPServer({
    secure: true,
    key,
    cert,
    onAuth: (auth, _session, done) =>
      auth.username === "citewell" && auth.password === password
        ? done(null, { user: auth.username })
        : done(new Error(`no login with ${auth.password}`)),
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith("bounce") ? new Error("no such mailbox") : undefined),
    onData(stream, { envelope: { rcptTo } }, done) {
      let raw = "";
      stream.setEncoding("utf8");
      stream.on("data", (part: string) => {
        raw += part;
      });
      stream.on("end", () => {
        mails.push({ to: rcptTo.map(({ address }) => address), ...readMail(raw) });
        done();
      });
    },
  });
  // A client that was refused breaks its connection off.
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const address = server.server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const stop = () => new Promise<void>((resolve) => server.close(resolve));
  const arrived = mails[Symbol.asyncIterator]();
  return {
    url: `smtps://citewell:${encodeURIComponent(password)}@localhost:${port}`,
    password,
    caFile,
    async next() {
      const { value, done } = await arrived.next();
      if (done === true) throw new Error("the mail server was stopped");
      return value;
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function readMail(raw: string): Omit<ReceivedMail, "to"> {
  const [headers = "", body = ""] = raw.split(/\r\n\r\n([^]*)/);
  const text = /^content-transfer-encoding: quoted-printable/im.test(headers) ? decodeQuotedPrintable(body) : body;
  return { headers, text, link: /https?:\S+/.exec(text)?.[0] ?? "" };
}

function decodeQuotedPrintable(text: string): string {
  const bytes = text
    .replaceAll(/=\r\n/g, "")
    .replaceAll(/=([\dA-F]{2})/g, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
