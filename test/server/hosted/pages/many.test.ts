import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey } from "../../../../server/hosted/tenants/keys.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";
import { signedIn, type Visitor } from "../../../support/visitor.ts";

const resources = 1000;
const kilobytes = 1024;

describe.each(testEngines())("the pages of a large project on $name", (engine) => {
  let service: TestService;
  let owner: Visitor;
  let base: string;
  beforeAll(async () => {
    service = await startService(await engine.createDatabase());
    base = `/p/${service.project.name}`;
    owner = await signedIn(service, "ada@example.com");
    const { store, project } = service;
    await store.query(
      `insert into resource (project, name, spec)
       select $1::uuid, 'repo-' || n, jsonb_build_object('type', 'git', 'name', 'repo-' || n,
         'url', 'https://localhost/team/repo-' || n, 'branch', 'main')
       from generate_series(1, $2::int) n`,
      [project.id, resources],
    );
    await store.query(
      `insert into api_key (project, name, hash, hint, scopes, resources, created_at)
       select $1::uuid, 'agent ' || n, decode(md5(n::text), 'hex'), 'cw_x', '{read}', null, now() - interval '1 hour' + n * interval '1 ms'
       from generate_series(1, 250) n`,
      [project.id],
    );
    await store.query(
      `insert into audit (project, actor, action, target, detail)
       select $1::uuid, 'operator', 'resource.added', 'repo-' || n, jsonb_build_object('access', '50%_' || n)
       from generate_series(1, 250) n`,
      [project.id],
    );
    await store.query(
      `with made as (insert into account (email, password_hash, salt)
         select 'person' || n || '@example.com', '', '' from generate_series(1, 150) n
         returning id)
       insert into member (project, account, role) select $1::uuid, id, 'member' from made`,
      [project.id],
    );
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** The names of the rows, and the count beside the form. */
  const rowsOf = async (path: string) => {
    const { text } = await owner.open(`${base}${path}`);
    const names = [...text.matchAll(/<th scope="row">\s*(?:<[^>]*>)?([^<]*)/g)].map(([, name = ""]) => name.trim());
    return { names, text, count: /role="status">(\d+ of \d+)</.exec(text)?.[1] };
  };

  test("the overview and the keys stay short with 1,000 resources", async () => {
    const overview = await owner.open(base);
    expect(overview.text.length).toBeLessThan(8 * kilobytes);
    expect(overview.text).toContain(`href="${base}/resources">1000 being fetched<`);
    const { text } = await rowsOf("/keys?q=none");
    expect(text.length).toBeLessThan(16 * kilobytes);
  });

  test("a key is made for resources whose names are typed; an unknown one is refused", async () => {
    const form = { name: "narrow", scopes: "read", about: "repo-7, repo-8 repo-900 repo-901 repo-902 repo-903" };
    expect((await owner.send(`${base}/keys`, form)).text).toContain("repo-7, repo-8, repo-900");
    const { text } = await rowsOf("/keys?q=narrow+repo-903");
    expect(text).toContain("repo-7, repo-8, repo-900, repo-901, repo-902 and 1 more");
    const refused = await owner.send(`${base}/keys`, { ...form, about: "x".repeat(500) });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('id="about-error"')]);
    expect((await owner.send(`${base}/keys`, { ...form, about: "repo-0" })).status).toBe(404);
  });

  test("keys, members and resources are found, sorted and cut without script", async () => {
    await createKey(service.store, service.project, { name: "<b>used</b>", scopes: ["ask"] });
    await service.store.query("update api_key set last_used_at = now() where name = 'agent 77'");
    expect((await rowsOf("/keys?sort=used")).names[0]).toBe("agent 77");
    expect((await rowsOf("/keys?sort=newest&q=agent")).names[0]).toBe("agent 250");
    const second = await rowsOf("/keys?page=2&q=AGENT");
    expect([second.names.length, second.names[0], second.count]).toEqual([100, "agent 101", "250 of 252"]);
    expect(second.text).toContain(`href="${base}/keys?q=AGENT&amp;sort=oldest&amp;page=3"`);
    expect((await rowsOf("/keys?q=ask+questions")).names).toEqual(["&lt;b&gt;used&lt;/b&gt;"]);
    const members = await rowsOf("/members?q=person14&sort=address");
    expect([members.names[0], members.count]).toEqual(["person14@example.com", "11 of 151"]);
    expect((await rowsOf("/members?sort=role")).names[0]).toBe("ada@example.com");
    expect((await rowsOf("/keys?q=%00")).text).toContain("NUL character");
  });

  test("the whole audit log is searched: by words, by what is a pattern elsewhere, and by who did it", async () => {
    expect((await rowsOf("/audit?q=REPO-3+added")).text.match(/<tr>/g)).toHaveLength(12);
    expect((await rowsOf("/audit?q=50%25_17")).text.match(/access: 50%_17/g)).toHaveLength(11);
    expect((await rowsOf("/audit?q=50_")).names).toEqual([]);
    const own = await rowsOf("/audit?q=ada%40example.com");
    expect(own.names.length).toBeGreaterThan(0);
    expect(own.names).not.toContain("resource.added");
    expect((await rowsOf("/audit?sort=oldest")).text).toContain("ada@example.com");
    const last = await rowsOf("/audit?q=repo-&page=3");
    expect([last.names.length > 0, last.text.includes('rel="next"')]).toEqual([true, false]);
    expect(last.text).toContain(`href="${base}/audit?q=repo-&amp;page=2"`);
  });

  test("conversations are found by their words", async () => {
    await service.store.query(
      `with made as (
         insert into thread (project, id, account, title, resources, created_at, asked_at)
         select $1::uuid, lpad(n::text, 12, '0'), a.id, 'What is otter ' || n || '?', '{}', now(), now()
         from generate_series(1, 11) n, account a where a.email = 'ada@example.com' returning id)
       insert into thread_turn (project, thread, asked_at, turn, resources) select $1::uuid, id, now(), '{}', '{}' from made`,
      [service.project.id],
    );
    const { text } = await owner.open(`${base}/ask?q=OTTER+7`);
    expect(text.match(/\/ask\/[0-9a-f]{12}"/g)).toHaveLength(1);
    expect(text).toContain("1 of 11");
  });
});
