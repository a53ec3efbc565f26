/**
 * The schema of the first release: what belongs to a project has its id in `project`, and row-level security lets the role
 * `citewell_tenant` (`Store.asProject`) see one project's rows. The tables' owner and a superuser bypass it. Roles belong to
 * the whole server, so another database may have created this one. `citewell_tenant` has no access to a table without a grant.
 */
export const baseline = `
do $$ begin
  create role citewell_tenant nologin;
exception when duplicate_object or unique_violation then null;
end $$;
do $$ begin
  if not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('grant citewell_tenant to %I', current_user);
  end if;
  execute format('grant usage on schema %I to citewell_tenant', current_schema());
end $$;

-- Owners set own_limits, the operator limits (ProjectLimits).
create table project (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  limits jsonb not null default '{}',
  own_limits jsonb not null default '{}'
);

-- resources: the names of the resources that the key may use; null: all.
create table api_key (
  id uuid primary key default gen_random_uuid(),
  project uuid not null references project on delete cascade,
  name text not null,
  hash bytea not null unique,
  hint text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  replaced_by uuid references api_key on delete set null,
  resources text[]
);
create index api_key_project on api_key (project);

-- disk_bytes: of the last snapshot on disk; null before the first fetch.
create table resource (
  project uuid not null references project on delete cascade,
  name text not null,
  spec jsonb not null,
  created_at timestamptz not null default now(),
  asked_at timestamptz,
  disk_bytes bigint,
  primary key (project, name)
);

-- The tenant can only add. The second index keeps the first use of a client with an access token to one entry, even if two
-- nodes record it at the same time.
create table audit (
  id bigint generated always as identity primary key,
  project uuid not null references project on delete cascade,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  target text not null,
  detail jsonb not null default '{}'
);
create index audit_project on audit (project, id);
create unique index audit_first_use on audit (project, actor, target) where action = 'client.first-used';

create unlogged table rate (
  key text primary key,
  tat double precision not null
);

-- A project sees the addresses of its own members, and nothing else of an account.
create table account (
  id uuid primary key default gen_random_uuid(),
  email text not null unique,
  password_hash bytea not null,
  salt bytea not null,
  created_at timestamptz not null default now(),
  email_proved_at timestamptz
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

-- Accounts at OpenID Connect providers: issuer and subject together identify a person.
create table identity (
  issuer text not null,
  subject text not null,
  account uuid not null references account on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index identity_account on identity (account);

create table password_link (
  hash bytea primary key,
  account uuid not null references account on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index password_link_account on password_link (account);

create table sign_in_link (
  hash bytea primary key,
  account uuid not null references account on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sign_in_link_account on sign_in_link (account);

-- One row for each resource: its fetch that waits, runs, failed or is done. So at most one fetch of a resource runs and one
-- waits. requested_at is set while a fetch waits, lease while one runs; a lease that has expired belongs to a process that
-- was killed. needs_token is the host whose repository was not found without a token. progress is only shown while a fetch
-- runs.
create table job (
  project uuid not null,
  resource text not null,
  requested_at timestamptz,
  run_at timestamptz not null default now(),
  lease uuid,
  lease_until timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  attempts int not null default 0,
  failure text,
  failed_since timestamptz,
  needs_token text,
  progress jsonb,
  primary key (project, resource),
  foreign key (project, resource) references resource (project, name) on delete cascade on update cascade
);
create index job_waiting on job (run_at) where requested_at is not null;
create index job_running on job (lease_until) where lease is not null;

-- The counter that limits are compared with.
create table usage (
  project uuid not null references project on delete cascade,
  month date not null,
  questions int not null default 0,
  tokens bigint not null default 0,
  micro_usd bigint not null default 0,
  primary key (project, month)
);

-- What each key and account used on each day (UTC).
create table daily_usage (
  project uuid not null references project on delete cascade,
  day date not null,
  actor text not null,
  questions int not null default 0,
  tokens bigint not null default 0,
  micro_usd bigint not null default 0,
  primary key (project, day, actor)
);

-- How many fetches each project requested in the last hour in which it requested any.
create table fetch_usage (
  project uuid primary key references project on delete cascade,
  hour timestamptz not null,
  fetches int not null
);

-- A running question has a lease that its process renews, and reserves what it may use at most.
create table running_question (
  id uuid primary key default gen_random_uuid(),
  project uuid not null references project on delete cascade,
  started_at timestamptz not null default now(),
  lease_until timestamptz not null,
  reserved_tokens bigint not null,
  reserved_micro_usd bigint not null,
  actor text not null default 'unknown'
);
create index running_question_project on running_question (project);

-- Sealed secrets open only with a key from outside the database, whose name is key_version, and only in their own row.
-- A token applies to the repositories below its path; an empty path applies to all others of the host.
create table git_token (
  id uuid primary key,
  project uuid not null references project on delete cascade,
  host text not null,
  name text not null,
  username text not null,
  hint text not null,
  sealed bytea not null,
  key_version text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  failure text,
  failing_since timestamptz,
  path text not null default ''
);
create unique index git_token_place on git_token (project, host, lower(path));

create table webhook (
  id uuid primary key,
  project uuid not null unique references project on delete cascade,
  sealed bytea not null,
  key_version text not null,
  created_at timestamptz not null default now(),
  last_received_at timestamptz
);

-- Installations of the operator's GitHub App that are connected to a project. account owns the repositories. The table
-- contains no secrets.
create table github_installation (
  id uuid primary key default gen_random_uuid(),
  project uuid not null references project on delete cascade,
  host text not null,
  account text not null,
  installation text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  failure text,
  failing_since timestamptz
);
create unique index github_installation_account on github_installation (project, host, lower(account));

-- The revision of each public source that a worker fetched last, so that other nodes notice a newer one. source is the name
-- of the source on disk, a hash; no project's rows refer to it.
create table snapshot_head (
  source text primary key,
  revision text not null,
  changed_at timestamptz not null default now()
);

-- Conversations of accounts on the web pages: one row each, and one for each turn (ThreadTurn as JSON; text, because jsonb
-- refuses the NUL character). They are deleted with the member.
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

-- The nodes that pass calls to each other. url is the address for the other nodes, running the number of calls that the node
-- is answering, seen_at the time of its last update.
create table node (
  url text primary key,
  running int not null,
  seen_at timestamptz not null default now()
);

do $$ declare name text; begin
  foreach name in array array['api_key', 'resource', 'audit', 'member', 'link', 'job', 'usage', 'daily_usage', 'fetch_usage',
    'running_question', 'git_token', 'webhook', 'github_installation', 'thread', 'thread_turn'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy own on %I to citewell_tenant
      using (project = current_setting(''citewell.project'')::uuid)', name);
  end loop;
  foreach name in array array['account', 'session', 'identity', 'password_link', 'sign_in_link'] loop
    execute format('alter table %I enable row level security', name);
  end loop;
end $$;
create policy members on account to citewell_tenant
  using (exists (
    select from member where member.account = account.id and member.project = current_setting('citewell.project')::uuid
  ));

grant select, insert, update, delete on resource, member, git_token, webhook, github_installation, thread to citewell_tenant;
grant select, insert, update on api_key, job, fetch_usage to citewell_tenant;
grant select, insert, delete on thread_turn to citewell_tenant;
grant select, insert on audit to citewell_tenant;
grant select on usage, daily_usage, running_question to citewell_tenant;
grant select (id, email) on account to citewell_tenant;
grant insert, select (project, purpose, used_at, expires_at), update (used_at) on link to citewell_tenant;
`;
