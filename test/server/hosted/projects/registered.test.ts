import { expect, test } from "vitest";
import { requireKnown, selectResources } from "../../../../server/hosted/projects/registered.ts";
import type { ProjectParts } from "../../../../server/hosted/projects/project-app.ts";
import type { FetchState } from "../../../../server/protocol/hosted.ts";

const ready: FetchState = {
  state: "ready",
  since: null,
  failure: null,
  nextTryAt: null,
  needsToken: null,
  progress: null,
};

test.each([
  ["a resource", ["zod"], [["zod"]]],
  ["a resource at a revision", ["zod@v3"], [["zod"]]],
  ["a group", ["@all"], [["@all"], ["zod", "ky"]]],
])(
  "the states of fetches are read once for a question about %s, and again only for a group's members",
  async (_, names, reads) => {
    const asked: (readonly string[])[] = [];
    const all = new Map([
      ["zod", ready],
      ["ky", ready],
    ]);
    const parts: ProjectParts = {
      app: Object.create(null),
      fetches: {
        request: async () => {},
        states: async () => all,
        async statesForQuestion(about) {
          asked.push(about);
          return all;
        },
      },
      groups: async () => [{ name: "all", resources: ["zod", "ky"], isFollowed: false }],
      sources: async () => new Map(),
      unreadable: async () => [],
      narrowTo: () => parts,
    };
    const { about, states } = await selectResources(names, parts);
    await requireKnown(about, parts, states);
    expect(asked).toEqual(reads);
  },
);
