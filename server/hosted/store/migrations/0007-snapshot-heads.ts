/**
 * The revision of each public source that a worker fetched last, so that other nodes notice a newer one. `source` is the
 * name of the source on disk, a hash; no project's rows refer to it, and tenants have no access.
 */
export const snapshotHeads = `
create table snapshot_head (
  source text primary key,
  revision text not null,
  changed_at timestamptz not null default now()
);
`;
