import { expect, test } from "vitest";
import { proxyEnvironment, type ProxySettings } from "../../extension/proxy-environment.ts";

const proxy = "http://proxy.example:3128";

function check(settings: Partial<ProxySettings>, env: Record<string, string>, expected: Record<string, string>): void {
  expect(proxyEnvironment({ proxy: "", noProxy: [], proxySupport: "override", ...settings }, env)).toEqual(expected);
}

test("the editor's proxy is passed on, with what goes round it", () => {
  const passed = { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: "localhost,.example" };
  check({ proxy, noProxy: ["localhost", ".example"] }, { HTTPS_PROXY: "" }, passed);
});

test("the environment takes precedence, in upper and lower case", () => {
  check({ proxy }, { https_proxy: "http://other:1" }, { HTTP_PROXY: proxy });
  check({ proxy, noProxy: ["a"] }, { HTTPS_PROXY: "http://other:1", HTTP_PROXY: "http://other:1", no_proxy: "b" }, {});
});

test("no proxy, or one that extensions are to do without, is none", () => {
  check({ noProxy: ["a"] }, {}, {});
  check({ proxy, proxySupport: "off" }, {}, {});
});
