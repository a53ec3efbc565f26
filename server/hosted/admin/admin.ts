import type * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { type Admin, adminMethods } from "../../protocol/hosted.ts";
import { describeIssues } from "../../protocol/validation.ts";
import type { Store } from "../store/store.ts";
import { readLimitSets, readUsage, setLimits } from "../limits/project-limits.ts";
import { addGitToken, listGitTokens, removeGitToken, replaceGitToken } from "../secrets/git-tokens.ts";
import { rotateSecrets } from "../secrets/reseal.ts";
import type { SealingKeys } from "../secrets/sealing-keys.ts";
import { createWebhook, removeWebhook } from "../secrets/webhooks.ts";
import { recordAudit } from "../tenants/audit.ts";
import { createOwnerLink, linkPath } from "../tenants/links.ts";
import { createPasswordLink } from "../tenants/password-links.ts";
import { rotateKey } from "../tenants/key-rotation.ts";
import { createKey, listKeys, revokeKey } from "../tenants/keys.ts";
import { createProject, findProject, listProjects } from "../tenants/projects.ts";

/** What the operator's methods need besides the database. */
export interface AdminOptions {
  /** Open the sealed secrets of the projects. */
  keys: SealingKeys;
  /** The address of the service, if it runs in this process. */
  url?: string;
}

/**
 * The operator's methods over a store. Inputs are checked: they may come from another process.
 */
export function createAdmin(
  store: Store,
  { url, keys }: AdminOptions,
): { [Name in keyof Admin]: (input: unknown) => ReturnType<Admin[Name]> } {
  const addressOf = ({ path }: { path: string }) => (url === undefined ? {} : { url: url + path });
  return {
    async createProject(raw) {
      const { name } = parse(adminMethods.createProject.input, raw);
      return createProject(store, name);
    },
    async listProjects() {
      return { projects: await listProjects(store) };
    },
    async createKey(raw) {
      const { project: name, ...options } = parse(adminMethods.createKey.input, raw);
      const project = await findProject(store, name);
      return { ...(await createKey(store, project, options)), project: project.name };
    },
    async listKeys(raw) {
      const { project } = parse(adminMethods.listKeys.input, raw);
      return { keys: await listKeys(store, await findProject(store, project)) };
    },
    async rotateKey(raw) {
      const { project: name, key, overlapDays } = parse(adminMethods.rotateKey.input, raw);
      const project = await findProject(store, name);
      const overlap = overlapDays === undefined ? {} : { overlapHours: Math.round(overlapDays * 24) };
      return { ...(await rotateKey(store, project, key, { actor: "operator", ...overlap })), project: project.name };
    },
    async revokeKey(raw) {
      const { project, key } = parse(adminMethods.revokeKey.input, raw);
      return revokeKey(store, await findProject(store, project), key);
    },
    async setLimits(raw) {
      const { project: name, limits } = parse(adminMethods.setLimits.input, raw);
      const project = await findProject(store, name);
      if (Object.keys(limits).length > 0) {
        await setLimits(store, project.id, limits);
        await store.asProject(project.id, (queries) =>
          recordAudit(queries, project.id, {
            actor: "operator",
            action: "limits.changed",
            target: project.name,
            detail: limits,
          }),
        );
      }
      const { operator, own } = await readLimitSets(store, project.id);
      return {
        project: project.name,
        limits: operator,
        ownLimits: own,
        usage: await readUsage(store, project.id),
      };
    },
    async addGitToken(raw) {
      const { project, ...token } = parse(adminMethods.addGitToken.input, raw);
      return addGitToken({ store, keys, project: await findProject(store, project), actor: "operator" }, token);
    },
    async replaceGitToken(raw) {
      const { project, ...token } = parse(adminMethods.replaceGitToken.input, raw);
      return replaceGitToken({ store, keys, project: await findProject(store, project), actor: "operator" }, token);
    },
    async listGitTokens(raw) {
      const { project } = parse(adminMethods.listGitTokens.input, raw);
      return { tokens: await listGitTokens(store, await findProject(store, project)) };
    },
    async removeGitToken(raw) {
      const { project, host } = parse(adminMethods.removeGitToken.input, raw);
      return removeGitToken({ store, project: await findProject(store, project), actor: "operator" }, host);
    },
    async createWebhook(raw) {
      const { project } = parse(adminMethods.createWebhook.input, raw);
      const created = await createWebhook(store, {
        keys,
        project: await findProject(store, project),
        actor: "operator",
      });
      return { ...created, ...addressOf(created) };
    },
    async removeWebhook(raw) {
      const project = await findProject(store, parse(adminMethods.removeWebhook.input, raw).project);
      await removeWebhook(store, { project, actor: "operator" });
      return { project: project.name };
    },
    rotateSecrets: () => rotateSecrets(store, keys),
    async createOwnerLink(raw) {
      const { project: name } = parse(adminMethods.createOwnerLink.input, raw);
      const project = await findProject(store, name);
      const { token, expiresAt } = await createOwnerLink(store, project);
      const path = linkPath(token);
      return { project: project.name, path, expiresAt, ...addressOf({ path }) };
    },
    async createPasswordLink(raw) {
      const { email } = parse(adminMethods.createPasswordLink.input, raw);
      const { token, expiresAt } = await createPasswordLink(store, email);
      const path = `/password/${token}`;
      return { email, path, expiresAt, ...addressOf({ path }) };
    },
  };
}

/** @throws InvalidRequest */
function parse<Schema extends z.ZodType>(schema: Schema, raw: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(raw);
  if (success) return data;
  throw new CitewellError("InvalidRequest", describeIssues(error, raw));
}
