import type { LanguageModelV4 } from "@ai-sdk/provider";

/** Calls a model as the agent does and throws the same errors. */
export async function readModel(model: LanguageModelV4): Promise<string> {
  const { stream } = await model.doStream({
    prompt: [
      { role: "system", content: "be brief" },
      { role: "user", content: [{ type: "text", text: "hi" }] },
    ],
  });
  let text = "";
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta") text += part.delta;
  }
  return text;
}
