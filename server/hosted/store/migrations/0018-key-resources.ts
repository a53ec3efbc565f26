/** The names of the resources that a key may use; null: all. */
export const keyResources = `
alter table api_key add column resources text[];
`;
