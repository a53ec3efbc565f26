import { afterAll, beforeAll, expect, test } from "vitest";
import { type Editor, startEditor } from "../../support/editor/editor.ts";

const files = `
//- README.md
# Retry

This project sends a request again after a wait; it starts in \`src/retry.ts\`.
//- src/retry.ts
/** Where the project starts: waits twice as long after each attempt. */
export const wait = (attempt: number) => 100 * 2 ** attempt;
`;

let editor: Editor;
beforeAll(async () => {
  editor = await startEditor({ workspace: files, config: { resources: [] } });
  // Pictures stand beside the steps only where there is room.
  await editor.page.setViewportSize({ width: 1700, height: 900 });
  await editor.page.getByRole("tab", { name: "Citewell" }).waitFor();
});
afterAll(() => editor?.stop());

const input = () => editor.page.locator(".quick-input-widget");
const button = (name: string) => editor.page.locator(".gettingStartedContainer").getByRole("button", { name });

async function openStep(title: string): Promise<void> {
  await editor.runCommand("Welcome: Open Walkthrough...");
  await editor.pick("Get Started with Citewell");
  const step = editor.page.locator(".gettingStartedContainer .getting-started-step").filter({ hasText: title });
  await step.waitFor();
  const unfolded = step.and(editor.page.locator('[aria-expanded="true"]'));
  if (!(await unfolded.isVisible())) await editor.act(() => step.getByText(title).click(), unfolded);
}

/** Whether a step of the open walkthrough is ticked. */
async function isDone(title: string): Promise<boolean> {
  const step = editor.page.locator(".gettingStartedContainer .getting-started-step").filter({ hasText: title });
  return (await step.locator(".codicon-getting-started-step-checked.complete").count()) > 0;
}

test("the first step gives an answer, with no key and nothing configured", async () => {
  await openStep("Ask your first question");
  await editor.screenshot("walkthrough-dark");
  await button("Ask About This Folder").click();
  await editor.chat
    .getByRole("button", { name: /verified: citation of/ })
    .first()
    .waitFor();
  expect(await editor.chat.getByText("builtin/extractive").count()).toBe(1);
  await expect.poll(() => isDone("Ask your first question")).toBe(true);
  await expect.poll(() => isDone("Choose what to ask about")).toBe(true);
  await editor.screenshot("walkthrough-answer");
});

for (const { step, name, opens } of [
  { step: "Choose what to ask about", name: "Add a Resource", opens: "Add Resource" },
  { step: "Let a model explain", name: "Choose a Model", opens: "Choose Model" },
  { step: "Let a model explain", name: "Connect a Provider", opens: "Connect Provider" },
]) {
  test(`the button "${name}" opens ${opens}`, async () => {
    await openStep(step);
    await button(name).click();
    await input().getByText(opens).first().waitFor();
    await editor.screenshot(`walkthrough-${opens.replace(" ", "-")}`);
    await editor.page.keyboard.press("Escape");
    await expect.poll(() => input().isVisible()).toBe(false);
    // What is cancelled is not done.
    if (step === "Let a model explain") expect(await isDone(step)).toBe(false);
  });
}

for (const { step, name, tells } of [
  {
    step: "Check citations in any document",
    name: "Verify Citations in This File",
    tells: "First open the file whose citations",
  },
  {
    step: "Choose what to ask about",
    name: "Add Dependencies",
    tells: "There is no manifest of a package manager in this workspace, such as package.json.",
  },
]) {
  test(`the button "${name}" says what is missing`, async () => {
    await openStep(step);
    await button(name).click();
    const toast = editor.page.locator(".notification-toast").filter({ hasText: tells });
    await expect.poll(() => toast.count()).toBe(1);
  });
}

test("the button of citations leads to the answer's first one", async () => {
  await openStep("Open a source");
  await button("Go to Next Citation").click();
  await expect.poll(() => editor.chat.locator(".chip:focus").count()).toBe(1);
});
