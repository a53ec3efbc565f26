/**
 * Conversations of accounts on the web pages: one row each, and one for each turn (`ThreadTurn` as JSON; `text`, because
 * `jsonb` refuses the NUL character). They are deleted with the member.
 */
export const conversations = `
create table thread (
  project uuid not null,
  id text not null,
  account uuid not null,
  title text not null,
  resources text[] not null,
  created_at timestamptz not null,
  asked_at timestamptz not null,
  primary key (project, id),
  foreign key (project, account) references member (project, account) on delete cascade
);
create index thread_account on thread (project, account, asked_at);
create index thread_asked_at on thread (asked_at);

create table thread_turn (
  id bigint generated always as identity primary key,
  project uuid not null,
  thread text not null,
  asked_at timestamptz not null,
  turn text not null,
  foreign key (project, thread) references thread (project, id) on delete cascade
);
create index thread_turn_thread on thread_turn (project, thread, id);

alter table thread enable row level security;
alter table thread_turn enable row level security;
create policy own on thread to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
create policy own on thread_turn to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
grant select, insert, update, delete on thread to citewell_tenant;
grant select, insert, delete on thread_turn to citewell_tenant;
`;
