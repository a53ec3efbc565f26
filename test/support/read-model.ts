import type { LanguageModelV4, LanguageModelV4Prompt } from "@ai-sdk/provider";

const greeting: LanguageModelV4Prompt = [
  { role: "system", content: "be brief" },
  { role: "user", content: [{ type: "text", text: "hi" }] },
];

/** Calls a model as the agent does and throws the same errors. */
export async function readModel(model: LanguageModelV4): Promise<string> {
  const { stream } = await model.doStream({ prompt: greeting });
  let text = "";
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta") text += part.delta;
  }
  return text;
}
