/**
 * Lets a project delete its open invitations. The unique index keeps the first use of a client with an access token to one
 * audit entry, even if two nodes record it at the same time.
 */
export const signInRecords = `
grant select (project, purpose, used_at, expires_at), update (used_at) on link to citewell_tenant;

create unique index audit_first_use on audit (project, actor, target) where action = 'client.first-used';
`;
