import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { text as readText } from "node:stream/consumers";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFetch, type FetchSettings } from "../../../server/lib/fetch.ts";

interface Listening extends AsyncDisposable {
  host: string;
  /** Method and address of every request, in order. */
  seen: string[];
}

let certificate: { cert: string; private: string };
let origin: Listening;
let secureOrigin: Listening;
beforeAll(async () => {
  certificate = await generate([{ name: "commonName", value: "secure.example" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "secure.example" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  origin = await listen((server) => server.on("request", echo), createServer());
  secureOrigin = await listen(
    (server) => server.on("request", echo),
    createHttpsServer({ key: certificate.private, cert: certificate.cert }),
  );
});
afterAll(async () => {
  await origin[Symbol.asyncDispose]();
  await secureOrigin[Symbol.asyncDispose]();
});

/** The answer's text, or why there was none. */
async function fetched(settings: FetchSettings, ...request: Parameters<typeof fetch>): Promise<string> {
  try {
    return await (await createFetch(settings)(...request)).text();
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  }
}

describe("a proxy", () => {
  test("receives plain HTTP directly and HTTPS as a tunnel", async () => {
    await using proxy = await listenAsProxy();
    const settings = { httpProxy: `http://${proxy.host}`, httpsProxy: proxy.host, ca: [certificate.cert] };
    expect(await fetched(settings, "http://plain.invalid/a")).toBe("by proxy");
    expect(await fetched(settings, "https://secure.example/b")).toBe("GET /b");
    expect(proxy.seen).toEqual(["GET http://plain.invalid/a", "CONNECT secure.example:443"]);
  });

  test("for HTTP also serves HTTPS if it is the only one", async () => {
    await using proxy = await listenAsProxy();
    const settings = { httpProxy: `http://${proxy.host}`, ca: [certificate.cert] };
    expect(await fetched(settings, "https://secure.example/b")).toBe("GET /b");
  });

  test.each(["", "other.example"])("is not used for loopback (noProxy: %j)", async (noProxy) => {
    await using proxy = await listenAsProxy();
    const settings = { httpProxy: `http://${proxy.host}`, noProxy };
    expect(await fetched(settings, `http://${origin.host}/a`)).toBe("GET /a");
    expect(await fetched(settings, `http://${origin.host.replace("127.0.0.1", "localhost")}/b`)).toBe("GET /b");
    expect(proxy.seen).toEqual([]);
  });

  test.each(["plain.invalid", ".invalid", "other.example, plain.invalid", "*"])(
    "is not asked about hosts that need none (%s)",
    async (noProxy) => {
      await using proxy = await listenAsProxy();
      const settings = { httpProxy: `http://${proxy.host}`, noProxy };
      expect(await fetched(settings, "http://plain.invalid/a")).toMatch(/ENOTFOUND|EAI_AGAIN/);
      expect(proxy.seen).toEqual([]);
    },
  );

  test("with an invalid URL fails on the first request", async () => {
    const answer = createFetch({ httpProxy: "http://" })("http://plain.invalid/");
    await expect(answer).rejects.toMatchObject({ code: "ERR_INVALID_URL" });
  });

  test("in the environment is ignored", async () => {
    await using proxy = await listenAsProxy();
    const before = process.env["HTTP_PROXY"];
    process.env["HTTP_PROXY"] = `http://${proxy.host}`;
    try {
      expect(await fetched({}, "http://plain.invalid/a")).toMatch(/ENOTFOUND|EAI_AGAIN/);
    } finally {
      if (before === undefined) delete process.env["HTTP_PROXY"];
      else process.env["HTTP_PROXY"] = before;
    }
    expect(proxy.seen).toEqual([]);
  });
});

describe("a certificate", () => {
  test("that is not trusted is rejected", async () => {
    expect(await fetched({}, `https://${secureOrigin.host}/`)).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
  });

  test("is accepted if configured as CA, or if checks are disabled", async () => {
    expect(await fetched({ ca: [certificate.cert] }, `https://${secureOrigin.host}/a`)).toBe("GET /a");
    expect(await fetched({ trustsAnyCertificate: true }, `https://${secureOrigin.host}/a`)).toBe("GET /a");
  });
});

describe("Node's own types", () => {
  test("a Request", async () => {
    const request = new Request(`http://${origin.host}/a`, { method: "POST", body: "text", headers: { "x-a": "1" } });
    expect(await fetched({}, request)).toBe("POST /a 1 text");
  });

  test("a form", async () => {
    const body = new FormData();
    body.set("field", "value");
    expect(await fetched({}, `http://${origin.host}/a`, { method: "POST", body })).toMatch(/name="field"\s+value/);
  });

  test("headers and an address as objects", async () => {
    const init = { method: "PUT", headers: new Headers({ "x-a": "1" }), body: new URLSearchParams({ a: "b" }) };
    expect(await fetched({}, new URL(`http://${origin.host}/a`), init)).toBe("PUT /a 1 a=b");
  });
});

describe("a silent host", () => {
  test("times out after the limit", async () => {
    await using silent = await listen((server) => server.on("request", () => {}), createServer());
    expect(await fetched({ idleTimeoutMs: 50, connectTimeoutMs: 10_000 }, `http://${silent.host}/`)).toBe(
      "UND_ERR_HEADERS_TIMEOUT",
    );
  });

  test("is cancelled with the caller's signal", async () => {
    await using silent = await listen((server) => server.on("request", () => {}), createServer());
    const controller = new AbortController();
    const answer = fetched({}, `http://${silent.host}/`, { signal: controller.signal });
    controller.abort(new Error("enough"));
    expect(await answer).toBe("Error: enough");
  });
});

/** `<method> <path> <x-a> <body>` */
const echo: RequestListener = (request, response) => void answerWithItself(request, response);

async function answerWithItself(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts = [request.method, request.url, request.headers["x-a"], await readText(request)];
  response.end(parts.filter(Boolean).join(" "));
}

/** Answers plain requests itself; every tunnel ends at the secure origin, whatever it was asked for. */
function listenAsProxy(): Promise<Listening> {
  const server = createServer((_request, response) => response.end("by proxy"));
  const secure = new URL(`https://${secureOrigin.host}`);
  return listen((proxy) => {
    proxy.on("connect", (_request: IncomingMessage, socket: Socket) => {
      const onward = connect(Number(secure.port), secure.hostname, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.pipe(onward).pipe(socket);
      });
      onward.on("error", () => socket.destroy());
      socket.on("error", () => onward.destroy());
      socket.on("close", () => onward.destroy());
    });
  }, server);
}

async function listen<AnyServer extends Server>(
  set: (server: AnyServer) => void,
  server: AnyServer,
): Promise<Listening> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const note = (request: IncomingMessage) => seen.push(`${request.method} ${request.url}`);
  server.on("request", note).on("connect", note);
  server.on("connection", (socket: Socket) => sockets.add(socket));
  set(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    host: `127.0.0.1:${address.port}`,
    seen,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
