/**
 * A project may end its open invitations. A client that uses an access token for the first time is in the audit log once,
 * also if two nodes see it at the same time.
 */
export const signInRecords = `
grant select (project, purpose, used_at, expires_at), update (used_at) on link to citewell_tenant;

create unique index audit_first_use on audit (project, actor, target) where action = 'client.first-used';
`;
