import { describe, expect, test } from "vitest";
import { agentRun } from "../../../support/agent-run.ts";
import { call, events, json, type OddReply, oddServer, piece, unended } from "../../../support/odd-server.ts";

const snapshots = "//- a.ts\nexport const limit = 30;\n";
const args = JSON.stringify({ path: "a.ts" });
const answer = events(piece({ content: "It is 30." }), piece({}, "stop"));

/** What a run shows: the text, the reasoning and each finished call of a tool. */
async function run(replies: readonly OddReply[], history: { question: string; answer: string }[] = []) {
  await using server = await oddServer(replies);
  const { events: sent, text, finish, error } = await agentRun(server, { snapshots, history });
  const reasoning = sent.map((event) => (event.type === "reasoning.delta" ? event.delta : "")).join("");
  const calls = sent.flatMap((event) => {
    if (event.type !== "tool.updated") return [];
    const { status } = event.state;
    if (status === "completed") return [`${event.tool} ${JSON.stringify(event.state.input)}`];
    return status === "error" ? [`${event.tool} failed: ${event.state.error}`] : [];
  });
  return { text, reasoning, calls, error, stopped: finish?.stopped?.reason, requests: server.requests };
}

describe("a complete tool call is run, whatever the server says about its end", () => {
  test.each([
    ["an empty reason", events(call(args), piece({}, ""))],
    [
      "an empty reason with each piece",
      events({ choices: [{ delta: call(args), finish_reason: "" }] }, call(args), piece({}, "")),
    ],
    ["a reason of another API", events(call(args), piece({}, "end_turn"))],
    ["a reason that nobody knows", events(call(args), piece({}, "eos"))],
    ["stop", events(call(args), piece({}, "stop"))],
    ["no reason, but [DONE]", events(call(args))],
    ["an unknown reason and no [DONE]", unended(call(args), piece({}, "tool_use"))],
    ["the reason in the same piece", events({ choices: [{ index: 0, finish_reason: "", delta: {} }] }, call(args))],
    [
      "a whole answer where a stream was requested",
      json({
        choices: [
          {
            message: {
              role: "assistant",
              content: null,
              tool_calls: [{ id: "1", type: "function", function: { name: "read", arguments: args } }],
            },
            finish_reason: "tool_calls",
          },
        ],
      }),
    ],
    [
      "`message` in place of `delta`",
      events({
        choices: [
          {
            message: { tool_calls: [{ id: "1", function: { name: "read", arguments: args } }] },
            finish_reason: "tool_calls",
          },
        ],
      }),
    ],
    [
      "the legacy `function_call`",
      events(piece({ function_call: { name: "read", arguments: args } }), piece({}, "function_call")),
    ],
    [
      "a number as id and a role of its own",
      events(call(args, "read", { id: 7 }), piece({ role: "model" }, "tool_calls")),
    ],
  ])("%s", async (_what, reply) => {
    const { calls, text, error } = await run([reply, answer]);
    expect({ calls, text, error }).toEqual({ calls: [`read ${args}`], text: "It is 30.", error: undefined });
  });

  test.each([
    ["length", "length"],
    ["content_filter", "filtered"],
  ])("an answer that ends with %s is partial", async (reason, stopped) => {
    expect((await run([events(piece({ content: "It" }), piece({}, reason))])).stopped).toBe(stopped);
  });

  test("a stream that is cut is reported as lost", async () => {
    const { error } = await run([unended(piece({ content: "It" }))]);
    expect(error).toMatchObject({ tag: "ProviderFailed", message: expect.stringContaining("was lost") });
  });
});

describe("arguments with one reading are taken", () => {
  test.each<[string, unknown, string]>([
    ["an object", { path: "a.ts" }, args],
    ["encoded twice", JSON.stringify(args), args],
    ["in a code fence", `\`\`\`json\n${args}\n\`\`\``, args],
    ["twice the same object", args + args, args],
    ["in a list", `[${args}]`, args],
    ["null for what is left out", '{"path":"a.ts","startLine":null}', args],
    ["numbers as text", '{"path":"a.ts","startLine":"1","endLine":" 1 "}', '{"path":"a.ts","startLine":1,"endLine":1}'],
  ])("%s", async (_what, given, input) => {
    expect((await run([events(call(given), piece({}, "tool_calls")), answer])).calls).toEqual([`read ${input}`]);
  });

  test.each<[string, unknown, RegExp]>([
    [
      "two different objects",
      '{"path":"a.ts"}{"path":"b.ts"}',
      /^read failed: the arguments must be one JSON object; call/,
    ],
    ["no JSON", "path=a.ts", /^read failed: the arguments must be one JSON object/],
    ["cut JSON", '{"path":"a.', /^read failed: the arguments must be one JSON object/],
    ["a list of numbers", "[1,2]", /^read failed: the arguments must be one JSON object/],
    [
      "a word for a number",
      '{"path":"a.ts","startLine":"first"}',
      /^read failed: startLine: "first": must be a number$/,
    ],
    ["no path", "{}", /^read failed: path: missing: must be a string/],
  ])("the model is told in one sentence of %s", async (_what, given, expected) => {
    const { calls, text } = await run([events(call(given), piece({}, "tool_calls")), answer]);
    expect(calls).toEqual([expect.stringMatching(expected)]);
    expect(calls[0]?.length).toBeLessThan(200);
    expect(text).toBe("It is 30.");
  });
});

describe("reasoning", () => {
  test.each(["</think>", "</thinking>", "[/THINK]"])("before a lone %s is not part of the answer", async (tag) => {
    const pieces = ["Let me ", "look.", tag.slice(0, 4), `${tag.slice(4)}\n\nIt is `, "30."].map((content) =>
      piece({ content }),
    );
    const { text, reasoning } = await run([events(...pieces, piece({}, "stop"))]);
    expect({ text: text.trim(), reasoning: reasoning.trim() }).toEqual({
      text: "It is 30.",
      reasoning: "Let me look.",
    });
  });

  test("before a lone tag is recognised in each turn", async () => {
    const first = events(piece({ content: "I read it.</think>" }), call(args), piece({}, "tool_calls"));
    const { text, reasoning, calls } = await run([first, events(piece({ content: "Now I know.</think>It is 30." }))]);
    expect(calls).toHaveLength(1);
    expect({ text, reasoning }).toEqual({ text: "It is 30.", reasoning: "I read it.\n\nNow I know." });
  });

  test.each(["reasoning", "reasoning_content"])("goes back under the name %s that it came with", async (field) => {
    const first = events(piece({ [field]: "I read it." }), call(args), piece({}, "tool_calls"));
    const { requests, reasoning } = await run([first, answer]);
    const sent = requests[1]?.messages.find(({ role }) => role === "assistant") ?? {};
    expect(reasoning).toBe("I read it.");
    expect(Object.entries(sent).filter(([name]) => name.startsWith("reasoning"))).toEqual([[field, "I read it."]]);
  });
});

describe("a tool call that arrives as text is run", () => {
  const calls = [
    ["Hermes", `<tool_call>\n{"name": "read", "arguments": ${args}}\n</tool_call>`],
    ["Hermes, not closed", `<tool_call>{"name": "read", "arguments": ${args}}`],
    ["Hermes, after a thought", `I read it.\n<tool_call>{"name": "read", "arguments": ${args}}</tool_call>`],
    ["Qwen3-Coder", "<tool_call>\n<function=read>\n<parameter=path>\na.ts\n</parameter>\n</function>\n</tool_call>"],
    ["Llama 3.1", `<function=read>${args}</function>`],
    ["Mistral, a list", `[TOOL_CALLS][{"name": "read", "arguments": ${args}}]`],
    ["Mistral, with a name", `[TOOL_CALLS]read[ARGS]${args}`],
    ["Llama 3, with its tag", `<|python_tag|>{"name": "read", "parameters": ${args}}`],
    ["Llama 3, bare", `{"name": "read", "parameters": ${args}}`],
    ["bare, in a fence", `\`\`\`json\n{"name": "read", "arguments": ${args}}\n\`\`\``],
    [
      "DeepSeek",
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    ],
    [
      "DeepSeek 3.1",
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>${args}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    ],
    [
      "Kimi K2",
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>${args}<|tool_call_end|><|tool_calls_section_end|>`,
    ],
    ["XML", '<function_calls><invoke name="read"><parameter name="path">a.ts</parameter></invoke></function_calls>'],
    ["GLM", "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a.ts</arg_value>\n</tool_call>"],
  ];
  test.each(calls)("%s", async (_name, text) => {
    const pieces = (text.match(/[\s\S]/g) ?? []).map((content) => piece({ content }));
    const result = await run([events(...pieces, piece({}, "stop")), answer]);
    expect(result.calls).toEqual([`read ${args}`]);
    expect(result.text).toMatch(/^(?:I read it\.\s+)?It is 30\.$/);
  });

  test("several calls in one text are all run", async () => {
    const one = `<tool_call>{"name": "read", "arguments": ${args}}</tool_call>`;
    const { calls: ended } = await run([
      events(piece({ content: `${one}\n${one.replace("read", "outline")}` })),
      answer,
    ]);
    expect(ended.toSorted()).toEqual([`outline ${args}`, `read ${args}`]);
  });

  test.each([
    ["of an unknown tool", '<tool_call>{"name": "shell", "arguments": {"command": "ls"}}</tool_call>'],
    ["that is cut", '<tool_call>{"name": "read", "argum'],
    ["with text after it", `[TOOL_CALLS][{"name": "read", "arguments": ${args}}] and then I answer`],
  ])(
    "a call %s is not shown as the answer, and the reader learns how such servers are started",
    async (_what, text) => {
      const result = await run([events(piece({ content: text }))]);
      expect(result.text).toContain("cannot call tools");
      expect(result.text).toContain("--jinja");
      expect(result.text).not.toContain("<tool_call>");
      expect(result.stopped).toBe("empty");
    },
  );

  test.each([
    ["in code", 'Hermes writes `<tool_call>{"name": …}`.\n\n```\n<tool_call>{"name": "read"}\n```\nThat is all.'],
    ["in prose", "The parser looks for <tool_call> and reads what follows."],
    ["JSON that is no call", '{"name": "express", "version": "5.0.0"}'],
    ["a fence of JSON", '```json\n{"name": "express"}\n```\nis the manifest.'],
    ["a bracket", "See [TOOL_CALLS] in the template, x < y and <|x|>."],
  ])("%s, mark-up is an ordinary answer", async (_what, text) => {
    const pieces = (text.match(/[\s\S]{1,3}/g) ?? []).map((content) => piece({ content }));
    expect(await run([events(...pieces, piece({}, "stop"))])).toMatchObject({ text, calls: [], stopped: undefined });
  });
});

describe("the server's own words reach the reader, without a hint about the address", () => {
  const said = "the model is sleeping";
  test.each<[string, OddReply]>([
    ["OpenAI's envelope, status 500", json({ error: { message: said, type: "server_error" } }, 422)],
    ["a text as error", json({ error: said }, 422)],
    ["FastAPI", json({ detail: said }, 422)],
    ["FastAPI, a list", json({ detail: [{ loc: ["body"], msg: said }] }, 422)],
    ["a message alone", json({ object: "error", message: said, code: 40_001 }, 422)],
    ["a list, as Google sends", json([{ error: { code: 400, message: said } }], 422)],
    [
      "a gateway",
      json(
        {
          error: {
            message: "Provider returned error",
            code: 422,
            metadata: { raw: JSON.stringify({ error: { message: said } }), provider_name: "X" },
          },
        },
        422,
      ),
    ],
    ["plain text", { status: 422, contentType: "text/plain", body: said }],
    ["an unknown model", json({ error: said }, 404)],
    ["JSON with status 200", json({ error: { message: said } })],
    ["a text as error, status 200", json({ error: said })],
    ["in a stream", events({ error: { message: said } })],
    ["a text, in a stream", events({ error: said })],
    ["an event of its own", { body: `event: error\ndata: ${JSON.stringify({ message: said })}\n\n` }],
    ["an event with plain text", { body: `event: error\ndata: ${said}\n\n` }],
    ["a gateway, in a stream", events({ error: { message: "Provider returned error", metadata: { raw: said } } })],
    ["beside an empty choice", events({ choices: [], error: { message: said, code: 502 } })],
  ])("%s", async (_what, reply) => {
    const { error } = await run([reply]);
    expect(error).toMatchObject({ message: expect.stringContaining(said) });
    expect(JSON.stringify(error)).not.toContain("baseURL");
    expect(String(error)).not.toMatch(/Provider returned error|metadata|"message"/);
  });

  test.each<[string, OddReply]>([
    ["a page", { contentType: "text/html", body: "<html>hello</html>" }],
    ["a page that is not there", { status: 404, contentType: "text/html", body: "<html>404</html>" }],
    ["a wrong path", { status: 404, contentType: "application/json", body: "" }],
  ])("%s is answered by a hint about the address", async (_what, reply) => {
    const { error } = await run([reply]);
    expect(error).toMatchObject({ hint: expect.stringContaining("baseURL") });
  });
});

describe("a prompt that is too long", () => {
  const sentences = [
    ["OpenAI", "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."],
    ["llama.cpp", "the request exceeds the available context size. try increasing the context size"],
    ["Anthropic", "prompt is too long: 210000 tokens > 200000 maximum"],
    ["Google", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
    [
      "Mistral",
      "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    ],
    ["Ollama", "input length exceeds the context length"],
    ["LM Studio", "The number of tokens to keep from the initial prompt is greater than the context length"],
    ["Groq", "Please reduce the length of the messages or completion."],
    ["xAI", "This model's maximum prompt length is 131072 but the request contains 140000 tokens."],
    ["TGI", "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens"],
  ];
  test.each(sentences)("gets a hint that helps, in the words of %s", async (_server, message) => {
    for (const reply of [json({ error: { message } }, 400), json({ error: message }), events({ error: { message } })]) {
      const { error } = await run([reply]);
      expect(error).toMatchObject({
        tag: "PromptTooLong",
        message: expect.stringContaining(message.slice(0, 40)),
        hint: expect.stringMatching(/^ask about fewer resources, or choose a model with a larger context/),
      });
    }
  });

  test("leaves out the earlier turns where they are the reason, and says so", async () => {
    const history = ["first", "second", "third"].map((question) => ({ question, answer: `${question} answer` }));
    const refused = json({ error: { message: "prompt is too long" } }, 400);
    const { text, requests } = await run([refused, refused, answer], history);
    expect(requests.map(({ messages }) => messages.filter(({ role }) => role === "user").length)).toEqual([4, 2, 1]);
    expect(text).toMatch(/^> The first 3 turns of this conversation were left out: .*\n\nIt is 30\.$/);
  });

  test("is reported if the question alone is too long", async () => {
    const refused = json({ error: { message: "prompt is too long" } }, 400);
    const { error, requests } = await run([refused, refused], [{ question: "a", answer: "b" }]);
    expect(error).toMatchObject({ tag: "PromptTooLong" });
    expect(requests).toHaveLength(2);
  });
});
