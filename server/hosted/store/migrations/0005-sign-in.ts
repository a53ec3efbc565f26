/**
 * Accounts at OpenID Connect providers (`issuer` and `subject` together identify a person), and links that set a new
 * password. Neither belongs to a project, so tenants have no access.
 */
export const signIn = `
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

alter table identity enable row level security;
alter table password_link enable row level security;
`;
