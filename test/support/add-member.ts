import type { Store } from "../../server/hosted/store/store.ts";
import { createAccount } from "../../server/hosted/tenants/accounts.ts";
import { addMember } from "../../server/hosted/tenants/members.ts";
import type { Role } from "../../server/protocol/hosted-accounts.ts";

/** A new member of a project, who cannot sign in. @param name what the e-mail address begins with */
export async function joinProject(
  store: Store,
  project: string,
  role: Role,
  name: string = role,
): Promise<{ account: string; email: string }> {
  const email = `${name}-${crypto.randomUUID()}@example.com`;
  return store.tx(async (queries) => {
    const { id: account } = await createAccount(queries, email, { hash: Buffer.from("h"), salt: Buffer.from("s") });
    await addMember(queries, project, { account, role });
    return { account, email };
  });
}
