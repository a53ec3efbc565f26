/**
 * The nodes that pass calls to each other. `url` is the address for the other nodes, `running` the number of calls that the
 * node is answering, `seen_at` the time of its last update. Tenants have no access.
 */
export const nodes = `
create table node (
  url text primary key,
  running int not null,
  seen_at timestamptz not null default now()
);
`;
