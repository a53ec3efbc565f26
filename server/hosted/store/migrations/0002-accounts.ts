/**
 * People: accounts, their sessions, the projects they belong to, and one-time links. A project sees the addresses of its
 * own members, and nothing else of an account.
 */
export const accounts = `
create table account (
  id uuid primary key default gen_random_uuid(),
  email text not null unique,
  password_hash bytea not null,
  salt bytea not null,
  created_at timestamptz not null default now()
);

create table session (
  hash bytea primary key,
  account uuid not null references account on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index session_account on session (account);

create table member (
  project uuid not null references project on delete cascade,
  account uuid not null references account on delete cascade,
  role text not null check (role in ('member', 'admin', 'owner')),
  created_at timestamptz not null default now(),
  primary key (project, account)
);
create index member_account on member (account);

create table link (
  hash bytea primary key,
  purpose text not null check (purpose in ('owner', 'invite')),
  project uuid references project on delete cascade,
  role text not null check (role in ('member', 'admin', 'owner')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);

alter table api_key add column replaced_by uuid references api_key on delete set null;

alter table member enable row level security;
alter table link enable row level security;
alter table account enable row level security;
alter table session enable row level security;
create policy own on member to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
create policy own on link to citewell_tenant
  using (project = current_setting('citewell.project')::uuid);
create policy members on account to citewell_tenant
  using (exists (
    select from member where member.account = account.id and member.project = current_setting('citewell.project')::uuid
  ));
grant select, insert, update, delete on member to citewell_tenant;
grant insert on link to citewell_tenant;
grant select (id, email) on account to citewell_tenant;
`;
