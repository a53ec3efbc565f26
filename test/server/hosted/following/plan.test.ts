import { describe, expect, test } from "vitest";
import { planFollowing, type PlanInput } from "../../../../server/hosted/following/plan.ts";
import type { ListedRepository } from "../../../../server/hosted/git-hosts/git-host.ts";
import { FollowFilters } from "../../../../server/protocol/followed-accounts.ts";

const listed = (fullName: string, given: Partial<ListedRepository> = {}): ListedRepository => ({
  id: fullName,
  fullName,
  cloneUrl: `https://git.example/${fullName}.git`,
  defaultBranch: "main",
  isArchived: false,
  isFork: false,
  isEmpty: false,
  isPrivate: false,
  sizeBytes: null,
  ...given,
});
const followed = (name: string, given: Partial<PlanInput["followed"][number]> = {}) => ({
  name,
  hostId: `acme/${name}`,
  url: `https://git.example/acme/${name}.git`,
  branch: "main",
  ...given,
});
const plan = ({ filters, ...given }: Partial<Omit<PlanInput, "filters">> & { filters?: unknown }) => {
  const {
    specs: _specs,
    moves: _moves,
    ...told
  } = planFollowing({
    host: "git.example",
    account: "acme",
    filters: FollowFilters.parse(filters ?? {}),
    listed: [],
    followed: [],
    others: [],
    limit: null,
    ...given,
  });
  return told;
};
const names = (several: readonly { name: string }[]) => several.map(({ name }) => name);

describe("what is followed", () => {
  test("a pattern without a slash is of a name, one with a slash of the path below the account", () => {
    const all = ["acme/api", "acme/team/api", "acme/team/deep/api-v2", "acme/web.site"].map((name) => listed(name));
    const added = (filters: unknown) => names(plan({ listed: all, filters }).added);
    expect(added({})).toEqual(["api", "team/api", "team/deep/api-v2", "web.site"]);
    expect(added({ include: ["API"] })).toEqual(["api", "team/api"]);
    expect(added({ include: ["team/*"] })).toEqual(["team/api"]);
    expect(added({ include: ["team/**"] })).toEqual(["team/api", "team/deep/api-v2"]);
    expect(added({ include: ["**/api*"] })).toEqual(["api", "team/api", "team/deep/api-v2"]);
    expect(added({ include: ["webxsite"] })).toEqual([]);
    expect(added({ include: ["api*"], exclude: ["*-v2", "team/api"] })).toEqual(["api"]);
  });

  test("archived ones, forks, large and empty ones are left out, each with its reason", () => {
    const all = [
      listed("acme/a", { isArchived: true }),
      listed("acme/b", { isFork: true }),
      listed("acme/c", { sizeBytes: 2_500_000 }),
      listed("acme/d", { isEmpty: true }),
      listed("acme/e", { cloneUrl: "https://elsewhere.example/e.git" }),
      listed("acme/f", { defaultBranch: "a branch" }),
      listed("acme/g"),
      listed("acme/h", { sizeBytes: 1_000_000 }),
    ];
    const { added, leftOut } = plan({ listed: all, filters: { maxMb: 2, exclude: ["g"] } });
    expect(names(added)).toEqual(["h"]);
    expect(leftOut.map(({ repository, reason }) => `${repository}: ${reason}`)).toEqual([
      "acme/a: it is archived",
      "acme/b: it is a fork",
      "acme/c: it has 3 MB, more than 2",
      "acme/d: it is empty",
      "acme/e: its address is at another host: https://elsewhere.example/e.git",
      "acme/f: its address or its branch is none that this service reads",
      "acme/g: the pattern g excludes it",
    ]);
    const wide = plan({ listed: all.slice(0, 3), filters: { includesArchived: true, includesForks: true } });
    expect(names(wide.added)).toEqual(["a", "b", "c"]);
  });

  test("a name that is taken, or cannot be one, becomes another", () => {
    const { added } = plan({
      listed: [listed("acme/api"), listed("acme/.github"), listed("acme/ünï"), listed(`acme/${"x/".repeat(40)}end`)],
      others: [
        { name: "api", url: "https://git.example/other", branch: "main" },
        { name: "github", url: null, branch: null },
        { name: "acme/github", url: null, branch: null },
      ],
    });
    expect(names(added)).toEqual(["acme/github-2", "acme/api", expect.stringMatching(/^x\/.*\/end$/), "n-"]);
    expect(names(added).every((name) => name.length <= 64)).toBe(true);
  });

  test("what was added by hand stays, and is not added again", () => {
    const mine = { name: "mine", url: "https://git.example/Acme/api", branch: "main" };
    const all = { listed: [listed("acme/api")], others: [mine] };
    expect(plan(all)).toMatchObject({ added: [], leftOut: [{ reason: "it was added by hand, as mine" }] });
    expect(names(plan({ ...all, others: [{ ...mine, branch: "v1" }] }).added)).toEqual(["api"]);
  });

  test("what exceeds the limit of the project is named; what leaves makes room first", () => {
    const all = ["a", "b", "c", "d"].map((name) => listed(`acme/${name}`));
    const { added, removed, leftOut } = plan({
      listed: [...all.slice(0, 3), listed("acme/d", { isArchived: true })],
      followed: [followed("d")],
      others: [{ name: "mine", url: null, branch: null }],
      limit: 3,
    });
    expect([names(added), names(removed)]).toEqual([["a", "b"], ["d"]]);
    expect(leftOut).toEqual([{ repository: "acme/c", reason: "the project's limit of 3 resources is reached" }]);
  });
});

describe("what was followed before", () => {
  const ten = Array.from({ length: 10 }, (_, index) => followed(`r${index}`));
  const all = ten.map(({ name }) => listed(`acme/${name}`));

  test("nothing changes, nothing is done", () => {
    expect(plan({ listed: all, followed: ten })).toEqual({
      listed: 10,
      added: [],
      removed: [],
      moved: [],
      leftOut: [],
      held: [],
    });
  });

  test("a renamed repository keeps its resource and its name, and another may take the old address", () => {
    const { moved, added, removed } = plan({
      listed: [listed("acme/new", { id: "acme/r0" }), listed("acme/r0", { id: "77" }), ...all.slice(1)],
      followed: ten,
    });
    expect(moved).toEqual([
      { name: "r0", from: "https://git.example/acme/r0.git#main", to: "https://git.example/acme/new.git#main" },
    ]);
    expect([names(added), removed]).toEqual([["acme/r0"], []]);
  });

  test("another default branch is followed", () => {
    const renamed = listed("acme/r0", { defaultBranch: "trunk" });
    expect(plan({ listed: [renamed, ...all.slice(1)], followed: ten }).moved).toEqual([
      { name: "r0", from: expect.stringMatching(/#main$/), to: "https://git.example/acme/r0.git#trunk" },
    ]);
  });

  test("a few that are gone go; many, or all, are held until a person confirms", () => {
    const five = plan({ listed: all.slice(5), followed: ten });
    expect([five.removed.length, five.held.length]).toEqual([5, 0]);
    const six = plan({ listed: all.slice(6), followed: ten });
    expect([six.removed.length, six.held.length]).toEqual([0, 6]);
    const one = plan({ listed: [], followed: ten.slice(0, 1) });
    expect([one.removed.length, one.held.length]).toEqual([0, 1]);
    const many = Array.from({ length: 100 }, (_, index) => followed(`r${index}`));
    const listing = many.map(({ name }) => listed(`acme/${name}`));
    expect(plan({ listed: listing.slice(20), followed: many }).removed).toHaveLength(20);
    expect(plan({ listed: listing.slice(21), followed: many }).held).toHaveLength(21);
  });

  test("what the filters exclude now goes, however many: an admin, or the owner of the repository, wanted it", () => {
    const { removed, held } = plan({ listed: all, followed: ten, filters: { include: ["r9"] } });
    expect([removed.length, held]).toEqual([9, []]);
    expect(removed[0]).toEqual({ name: "r0", reason: "no pattern includes it" });
  });
});
