/**
 * Sign-in links sent by mail, and whether the address of an account is proved. Tenants have no access.
 */
export const mail = `
alter table account add column email_proved_at timestamptz;

create table sign_in_link (
  hash bytea primary key,
  account uuid not null references account on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sign_in_link_account on sign_in_link (account);

alter table sign_in_link enable row level security;
`;
