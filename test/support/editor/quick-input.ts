import { errors, type Page } from "playwright-core";

/** How long the palette may go without a command, in milliseconds: an extension's come after a start, on a busy machine late. */
const offeredWithinMs = 30_000;

const row = ".quick-input-list .monaco-list-row";
const focusedRow = `${row}.focused`;

/**
 * Runs a command by the title that the palette shows, by keyboard. What is asked for too early is not offered, as the palette
 * lists the commands that there are when a text is typed; and a focus that goes elsewhere closes it. Then it is typed anew.
 */
export async function runCommand(page: Page, title: string): Promise<void> {
  const deadline = Date.now() + offeredWithinMs;
  while (!(await chooseCommand(page, title))) {
    if (Date.now() > deadline) throw new Error(`the palette does not offer "${title}"`);
  }
}

/** Types into the quick input that is open until the wanted row is the one that Enter takes. */
export async function pick(page: Page, filter: string, wanted: string | RegExp = filter): Promise<void> {
  await page.locator(".quick-input-widget input:focus").waitFor();
  await page.keyboard.type(filter);
  await page.locator(focusedRow).filter({ hasText: wanted }).waitFor();
  await page.keyboard.press("Enter");
}

/** @returns whether the command was there to be run */
async function chooseCommand(page: Page, title: string): Promise<boolean> {
  const palette = page.getByRole("textbox", { name: "Type the name of a command to run." });
  // After the title there may stand its keys, or that it was used before.
  const titled = `:is([aria-label="${title}"], [aria-label^="${title}, "])`;
  const briefly = { timeout: 2_000 };
  try {
    if (!(await palette.isVisible())) await page.keyboard.press("F1");
    // A text that stays the same would not be looked up again.
    await palette.fill(">", briefly);
    await palette.fill(`>${title}`, briefly);
    await page.locator(`${row}${titled}`).waitFor(briefly);
    const wanted = page.locator(`${focusedRow}${titled}`);
    // Others whose titles match in part may stand above it.
    for (let count = 0; count < 5 && !(await wanted.isVisible()); count++) await page.keyboard.press("ArrowDown");
    if (!(await wanted.isVisible())) return false;
    await palette.press("Enter", briefly);
    // It closes with the key that is taken, before the command runs.
    return !(await palette.isVisible());
  } catch (error) {
    if (error instanceof errors.TimeoutError) return false;
    throw error;
  }
}
