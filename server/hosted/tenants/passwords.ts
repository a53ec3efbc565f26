import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from "node:crypto";
import { createSemaphore } from "../../lib/semaphore.ts";

/** What is stored of a password. */
export interface PasswordHash {
  hash: Uint8Array;
  salt: Uint8Array;
}

/** Hashes passwords with scrypt. */
export interface Passwords {
  hash(password: string): Promise<PasswordHash>;
  /** Whether a password is the one that was hashed. Without a hash it takes as long, and is false. */
  matches(password: string, stored: PasswordHash | undefined): Promise<boolean>;
}

/** OWASP's password storage cheat sheet, 2024: N = 2^15, r = 8, p = 3, or more memory. One hash takes 32 MB. */
const recommendedCost: ScryptOptions = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20 };
const hashBytes = 32;
const saltBytes = 16;
/** More at once would take the memory and the threads that questions need. */
const concurrentHashes = 2;

/** The passwords of this process. @param cost of each hash; a database has hashes of one cost only */
export function createPasswords(cost = recommendedCost): Passwords {
  const semaphore = createSemaphore(concurrentHashes);
  async function derive(password: string, salt: Uint8Array): Promise<Uint8Array> {
    await semaphore.acquire();
    try {
      return await new Promise((resolve, reject) => {
        scrypt(password, salt, hashBytes, cost, (error, hash) => (error === null ? resolve(hash) : reject(error)));
      });
    } finally {
      semaphore.release();
    }
  }
  return {
    async hash(password) {
      const salt = randomBytes(saltBytes);
      return { hash: await derive(password, salt), salt };
    },
    async matches(password, stored) {
      const hash = await derive(password, stored?.salt ?? randomBytes(saltBytes));
      return stored !== undefined && timingSafeEqual(hash, stored.hash);
    },
  };
}
