import { afterAll, beforeAll, expect, test } from "vitest";
import { type Editor, startEditor } from "../../support/editor/editor.ts";
import { type OAuthServer, oauthServer } from "../../support/oauth-server.ts";

let oauth: OAuthServer;
let editor: Editor;

beforeAll(async () => {
  oauth = await oauthServer();
  const { issuer, clientId } = oauth;
  const scopes = ["openid", "offline_access"];
  const providerOptions = {
    google: { oauth: { issuer, scopes } },
    "github-copilot": { oauth: { issuer, scopes, clientId, flow: "device" } },
  };
  editor = await startEditor({ config: { providerOptions, resources: [] } });
  await editor.openChat();
});
afterAll(async () => {
  await editor?.stop();
  await oauth?.[Symbol.asyncDispose]();
});

/** The form of the codes that the server makes (RFC 8628, section 6.1). */
const userCode = /[A-Z]{4}-[A-Z]{4}/;

const input = () => editor.page.locator(".quick-input-widget");
const dialog = () => editor.page.getByRole("dialog");
const toast = (text: string | RegExp) => editor.page.locator(".notification-toast").filter({ hasText: text });

/**
 * The address that the editor opens in a new page when `open` runs. In a browser, VS Code opens a loopback port as
 * `/proxy/<port>/` of its own server; that page stays empty here, and the test is the user's browser.
 */
async function openedPage(open: () => Promise<void>): Promise<string> {
  const pages = editor.page.context();
  const forwarded = /\/proxy\/\d+\//;
  await pages.route(forwarded, (route) => route.fulfill({ body: "" }));
  const [page, request] = await Promise.all([
    pages.waitForEvent("page"),
    pages.waitForEvent("request", (sent) => forwarded.test(sent.url())),
    open(),
  ]);
  const { pathname, search } = new URL(request.url());
  await page.close();
  await pages.unrouteAll();
  return `http://127.0.0.1:${pathname.slice("/proxy/".length)}${search}`;
}

/** Opens the page of the device code, and returns it with the code. */
async function copyAndOpen(): Promise<string> {
  const message = await dialog().getByText(userCode).first().textContent();
  await editor.screenshot("sign-in-device");
  const url = await openedPage(() => dialog().getByRole("button", { name: "Copy and Open Page" }).click());
  const code = userCode.exec(message ?? "")?.[0] ?? "";
  expect(url).toBe(`${oauth.issuer}/device?user_code=${code}`);
  return url;
}

async function connect(provider: string): Promise<void> {
  await editor.runCommand("Citewell: Connect Provider…");
  await input().getByText("Connect Provider").first().waitFor();
  await editor.pick(provider);
}

test("a device sign-in shows its code, and is connected when the code was entered", async () => {
  oauth.grants.length = 0;
  await connect("GitHub Copilot");
  const page = await copyAndOpen();
  await editor.screenshot("sign-in-device-waiting");
  expect(await oauth.typeCode(page)).toContain("signed in");
  await toast("GitHub Copilot is connected.").waitFor();
  expect(oauth.grants).toEqual(["urn:ietf:params:oauth:grant-type:device_code"]);
});

test("an OAuth client of the user's own signs in with the browser", async () => {
  await connect("Google");
  await editor.screenshot("sign-in-ways");
  await editor.pick("OAuth Client of Your Own");
  await input()
    .getByText(/The client id of an OAuth client/)
    .waitFor();
  await editor.screenshot("sign-in-client");
  await editor.page.keyboard.type(oauth.clientId);
  await editor.page.keyboard.press("Enter");
  await input()
    .getByText(/Its secret/)
    .waitFor();
  expect(await input().locator("input:focus").getAttribute("type")).toBe("password");
  const page = await openedPage(() => editor.page.keyboard.press("Enter"));
  expect(await oauth.browse(page)).toContain("You can close this page");
  await toast("Google Gemini is connected.").waitFor();
  await editor.screenshot("sign-in-connected");
  expect(oauth.grants).toContain("authorization_code");
});

test("a sign-in that the user denies on the page is one message", async () => {
  oauth.decide("deny");
  await connect("GitHub Copilot");
  await oauth.typeCode(await copyAndOpen());
  await toast(/denied|declined/).waitFor();
  await editor.screenshot("sign-in-denied");
  expect(await toast(/denied|declined/).count()).toBe(1);
});
