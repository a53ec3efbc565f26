/**
 * Conversations, and parts of them, that members of the project can open by a link. A share ends with the conversation, and
 * with the membership of its account.
 */
export const shares = `
create table share (
  id uuid primary key default gen_random_uuid(),
  project uuid not null,
  account uuid not null,
  thread text not null,
  first_turn bigint not null,
  last_turn bigint not null,
  created_at timestamptz not null default now(),
  unique (project, thread, first_turn, last_turn),
  foreign key (project, thread) references thread (project, id) on delete cascade,
  foreign key (project, account) references member (project, account) on delete cascade
);
alter table share enable row level security;
create policy own on share to citewell_tenant using (project = current_setting('citewell.project')::uuid);
grant select, insert, update, delete on share to citewell_tenant;
`;
