/** A loaded page. */
export interface Page {
  url: string;
  status: number;
  text: string;
}

/** A minimal browser: follows redirects, keeps cookies, submits forms. */
export interface Browser {
  /** @param until a redirect to this address is not followed: nothing is there */
  open(url: string, until?: string): Promise<Page>;
  /** Submits the only form of a page with its current values. */
  submit(page: Page): Promise<Page>;
}

/** Creates a browser without cookies. */
export function createBrowser(): Browser {
  const cookies = new Map<string, string>();
  async function load(
    url: string,
    { until, ...init }: { method?: string; body?: string; headers?: object; until?: string | undefined } = {},
  ): Promise<Page> {
    if (until !== undefined && url.startsWith(until)) return { url, status: 0, text: "" };
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { ...init, redirect: "manual", headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location !== null && response.status >= 300 && response.status < 400) {
      return load(new URL(location, url).href, { until });
    }
    return { url, status: response.status, text: await response.text() };
  }
  return {
    open: (url, until) => load(url, { until }),
    submit({ url, text }) {
      const [, action = ""] = /<form[^>]*action="([^"]*)"/.exec(text) ?? [];
      const body = new URLSearchParams();
      for (const [tag] of text.matchAll(/<input[^>]*>/g)) body.append(attribute(tag, "name"), attribute(tag, "value"));
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      return load(new URL(action, url).href, { method: "POST", body: body.toString(), headers });
    },
  };
}

function attribute(tag: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
}
