import { describe, expect, test } from "vitest";
import { cutToBudget } from "../../../extension/features/language-tools/budget.ts";

describe("the budget of a tool's result", () => {
  const countTokens = async (text: string) => text.length;

  test("leaves what has room", async () => {
    expect(await cutToBudget("a\nb", { tokenBudget: 3, countTokens })).toBe("a\nb");
    expect(await cutToBudget("a\nb", undefined)).toBe("a\nb");
  });

  test("cuts at the end of a line, and says how much", async () => {
    const text = "line\n".repeat(100);
    const cut = await cutToBudget(text, { tokenBudget: 200, countTokens });
    expect(cut.length).toBeLessThanOrEqual(200);
    expect(cut).toMatch(/^(?:line\n)+\n\(Cut here: \d+ of 500 characters are left out\. Ask for less\.\)$/);
  });

  test("of nothing is nothing", async () => {
    expect(await cutToBudget("text", { tokenBudget: 0, countTokens })).toBe("");
  });
});
