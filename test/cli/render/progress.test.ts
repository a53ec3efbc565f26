import { expect, test } from "vitest";
import { plainStyle } from "../../support/plain-style.ts";
import { renderFooter, renderProgress, renderReasoning } from "../../../cli/render/progress.ts";

const plain = plainStyle;
const model = { provider: "anthropic", model: "claude" };

test("progress is one line, with what is known of how far it is", () => {
  expect(renderProgress({ message: "Cloning https://example.com/a", fraction: 0.459 }, plain)).toBe(
    "Cloning https://example.com/a 45 %",
  );
  expect(renderProgress({ message: "a\n\u001B[2Jb" }, plain)).toBe("a ‹U+001B›[2Jb");
});

test("reasoning is dimmed line by line and cannot control the terminal", () => {
  expect(renderReasoning("one\r\ntwo\u001B[2J\n", { ...plain, color: true })).toBe(
    "\u001B[2mone\u001B[0m\n\u001B[2mtwo‹U+001B›[2J\u001B[0m\n",
  );
});

test("the footer says what the answer took, as far as it is known", () => {
  const usage = { inputTokens: 1_234_567, outputTokens: 640 };
  const costUsd = { input: 0.01, output: 0.0212, total: 0.0312 };
  const pricing = { source: "s", modelKey: "m", ratesUsdPerMTokens: { input: 1, output: 2 }, costUsd };
  const metrics = { timing: { totalMs: 12_345, genMs: 1 }, pricing };
  expect(renderFooter({ model, usage, metrics }, plain)).toBe(
    "anthropic/claude · 12.3 s · 1,234,567 tokens in, 640 out · US$0.0312",
  );
  expect(renderFooter({ model, usage: { totalTokens: 12 } }, { ...plain, unicode: false })).toBe(
    "anthropic/claude - 12 tokens",
  );
  expect(renderFooter({ model, usage: { ...usage, cacheReadTokens: 1_000_000 } }, plain)).toBe(
    "anthropic/claude · 1,234,567 tokens in (1,000,000 cached), 640 out",
  );
  expect(renderFooter({ model, usage: {} }, plain)).toBe("anthropic/claude");
  expect(renderFooter({ model, usage: { inputTokens: 0, outputTokens: 0 } }, plain)).toBe("anthropic/claude");
});
