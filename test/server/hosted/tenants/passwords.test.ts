import { scryptSync } from "node:crypto";
import { expect, test } from "vitest";
import { createPasswords } from "../../../../server/hosted/tenants/passwords.ts";

const password = "correct horse battery";

test("a password is hashed with its own salt, at the cost that OWASP recommends", async () => {
  const { hash, salt } = await createPasswords().hash(password);
  expect(salt).toHaveLength(16);
  expect(Buffer.from(hash)).toEqual(scryptSync(password, salt, 32, { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20 }));
  const other = await createPasswords({ N: 16 }).hash(password);
  expect(Buffer.from(other.salt)).not.toEqual(Buffer.from(salt));
});

test("only the password that was hashed matches", async () => {
  const passwords = createPasswords({ N: 16 });
  const stored = await passwords.hash(password);
  expect(await passwords.matches(password, stored)).toBe(true);
  expect(await passwords.matches(`${password} `, stored)).toBe(false);
  expect(await passwords.matches(password, undefined)).toBe(false);
});
