/**
 * The nodes that pass calls to each other, by the address that the others use. `running` is how many calls a node answers,
 * `seen_at` when it last wrote its row. Tenants have no access.
 */
export const nodes = `
create table node (
  url text primary key,
  running int not null,
  seen_at timestamptz not null default now()
);
`;
