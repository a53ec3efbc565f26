import type * as z from "zod";
import { CitewellError } from "../../errors.ts";
import type { HostPerson } from "./git-host.ts";
import type { HostClient } from "./host-client.ts";

/** The person whose credential the client has; hosts of all kinds name them at `/user`. */
export async function readPerson(
  client: HostClient,
  { schema, signal }: { schema: z.ZodType<HostPerson>; signal: AbortSignal },
): Promise<HostPerson> {
  const needs = "the right to read your own account";
  const answer = await client.read(schema, "/user", { needs, signal });
  if (answer !== undefined) return answer.data;
  throw new CitewellError("RepositoryFailed", `${client.host} does not say whose token this is`, {
    hint: "check the kind of the host",
  });
}
