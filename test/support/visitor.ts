import type { Store } from "../../server/hosted/store/store.ts";
import { createOwnerLink } from "../../server/hosted/tenants/links.ts";
import type { Project } from "../../server/protocol/hosted.ts";

/** A page that was loaded, after its redirects. */
export interface LoadedPage {
  status: number;
  /** The path and query that it was loaded from; of another site, the URL. */
  path: string;
  text: string;
  headers: Headers;
}

/** A browser without script: it keeps cookies, follows redirects and says which page a form comes from. */
export interface Visitor {
  open(path: string, headers?: Record<string, string>): Promise<LoadedPage>;
  /** Sends a form; `headers` replace what a browser says about its page. */
  send(
    path: string,
    fields?: FormFields,
    headers?: Record<string, string>,
    signal?: AbortSignal | null,
  ): Promise<LoadedPage>;
}

/** The fields of a form; several values are several fields. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>;

/** Visits a service. @param url of any of its pages @param options.fetch of a browser that trusts other certificates */
export function createVisitor(
  url: string,
  { fetch = globalThis.fetch }: { fetch?: typeof globalThis.fetch } = {},
): Visitor {
  const cookies = new Map<string, string>();
  async function load(
    path: string,
    { headers, ...init }: Omit<RequestInit, "headers"> & { headers: Record<string, string> },
  ): Promise<LoadedPage> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const address = new URL(path, url);
    const response = await fetch(address, {
      ...init,
      redirect: "manual",
      headers: { ...headers, cookie },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location !== null && response.status >= 300 && response.status < 400) {
      const { origin, href, pathname, search } = new URL(location, address);
      return load(origin === new URL(url).origin ? pathname + search : href, { headers: {} });
    }
    return { status: response.status, path, text: await response.text(), headers: response.headers };
  }
  return {
    open: (path, headers = {}) => load(path, { headers }),
    send(path, fields = {}, headers = { "sec-fetch-site": "same-origin" }, signal = null) {
      const body = new URLSearchParams();
      for (const [name, value] of Object.entries(fields)) {
        for (const one of typeof value === "string" ? [value] : value) body.append(name, one);
      }
      return load(path, { method: "POST", body, headers, signal });
    },
  };
}

/** The password of `signedIn`. */
export const testPassword = "correct horse battery";

/** A visitor who has opened an owner link of a project and has an account now. */
export async function signedIn(
  { url, store, project }: { url: string; store: Store; project: Project },
  email = "ada@example.com",
  options: Parameters<typeof createVisitor>[1] = {},
): Promise<Visitor> {
  const visitor = createVisitor(url, options);
  const { token } = await createOwnerLink(store, project);
  const page = await visitor.send(`/link/${token}`, { email, password: testPassword });
  if (page.status !== 200) throw new Error(`signing in failed: ${page.text}`);
  return visitor;
}
