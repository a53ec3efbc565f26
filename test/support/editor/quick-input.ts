import { errors, type Page } from "playwright-core";

/** The time limit for a command to appear, in milliseconds: extensions register commands late on a busy machine. */
const offeredWithinMs = 120_000;

const row = ".quick-input-list .monaco-list-row";
const focusedRow = `${row}.focused`;

/**
 * Runs a command by its title in the palette, by keyboard. The palette lists only commands registered when the text is
 * typed, and closes when it loses focus; in both cases the title is typed again.
 */
export async function runCommand(page: Page, title: string): Promise<void> {
  const deadline = Date.now() + offeredWithinMs;
  while (!(await chooseCommand(page, title))) {
    if (Date.now() > deadline) throw new Error(`the palette does not offer "${title}"`);
  }
}

/** Types into the open quick input until the wanted row is selected, then presses Enter. */
export async function pick(page: Page, filter: string, wanted: string | RegExp = filter): Promise<void> {
  await page.locator(".quick-input-widget input:focus").waitFor();
  await page.keyboard.type(filter);
  await page.locator(focusedRow).filter({ hasText: wanted }).waitFor();
  await page.keyboard.press("Enter");
}

/** @returns whether the command was found */
async function chooseCommand(page: Page, title: string): Promise<boolean> {
  const palette = page.getByRole("textbox", { name: "Type the name of a command to run." });
  // The title may be followed by its key binding or "recently used".
  const titled = `:is([aria-label="${title}"], [aria-label^="${title}, "])`;
  const briefly = { timeout: 5_000 };
  try {
    if (!(await palette.isVisible())) await page.keyboard.press("F1");
    // An unchanged text would not be searched again.
    await palette.fill(">", briefly);
    await palette.fill(`>${title}`, briefly);
    await page.locator(`${row}${titled}`).waitFor(briefly);
    const wanted = page.locator(`${focusedRow}${titled}`);
    // Partial matches may be listed above it.
    for (let count = 0; count < 5 && !(await wanted.isVisible()); count++) await page.keyboard.press("ArrowDown");
    if (!(await wanted.isVisible())) return false;
    await palette.press("Enter", briefly);
    // The palette closes on Enter, before the command runs.
    return !(await palette.isVisible());
  } catch (error) {
    if (error instanceof errors.TimeoutError) return false;
    throw error;
  }
}
