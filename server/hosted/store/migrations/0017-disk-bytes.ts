/** The bytes of a resource's last snapshot on disk; null before its first fetch. */
export const diskBytes = `
alter table resource add column disk_bytes bigint;
`;
