import path from "node:path";

/** Ignored by git. */
export const agentsFolder =
  process.env.CITEWELL_TEST_AGENTS ?? path.resolve(import.meta.dirname, "../../..", ".test-agents");

/** Agents without native programs: about 100 MB each, installed in seconds. */
export const testedAgents = {
  gemini: "@google/gemini-cli@0.61.0",
  qwen: "@qwen-code/qwen-code@0.24.4",
};
