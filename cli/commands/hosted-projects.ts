import { CitewellError } from "../../server/errors.ts";
import {
  type ApiKey,
  type KeyScope,
  type LimitReport,
  type ProjectLimits,
  stricterLimits,
} from "../../server/protocol/hosted.ts";
import type { KeyAction } from "../definitions/hosted.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { formatTable } from "../render/table.ts";
import { type Terminal, write } from "../terminal.ts";
import { type AddressOptions, describeAddress, readPublicUrl, withAddress } from "./hosted-address.ts";
import { openAdmin, type StoreOptions } from "./hosted.ts";

/** `citewell hosted key`: the database may be in use by the running service, which is asked then. */
export async function hostedKey(
  action: KeyAction,
  name: string | undefined,
  options: StoreOptions & {
    project?: string;
    scope: KeyScope[];
    resource: string[];
    days?: number;
    overlapDays?: number;
  },
  terminal: Terminal,
): Promise<number> {
  const { project, days, scope, resource, json } = options;
  await using admin = await openAdmin(options, terminal);
  switch (action) {
    case "create": {
      const scopes: KeyScope[] = scope.length === 0 ? ["ask", "read"] : scope;
      const resources = resource.length === 0 ? null : resource;
      const created = await admin.createKey({ project, name: required(name, action), scopes, resources, days });
      const rights = scopes.join(", ") + (resources === null ? "" : `; only ${resources.join(", ")}`);
      const text = `${created.key}\n`;
      const note = `Key "${created.listing.name}" of project ${created.project} (${rights}); shown only now:\n`;
      if (json !== true && options.quiet !== true) await write(terminal.stderr, note);
      await write(terminal.stdout, json === true ? jsonText(created) : text);
      return exitCodes.ok;
    }
    case "rotate": {
      const rotated = await admin.rotateKey({ project, key: required(name, action), overlapDays: options.overlapDays });
      const note = `Replacement for the key "${rotated.listing.name}" of project ${rotated.project}; shown only now:\n`;
      if (json !== true && options.quiet !== true) await write(terminal.stderr, note);
      await write(terminal.stdout, json === true ? jsonText(rotated) : `${rotated.key}\n`);
      return exitCodes.ok;
    }
    case "list": {
      const { keys } = await admin.listKeys({ project });
      await write(terminal.stdout, json === true ? jsonText({ keys }) : formatTable(keys.map(toRow)));
      return exitCodes.ok;
    }
    case "revoke": {
      const revoked = await admin.revokeKey({ project, key: required(name, action) });
      await write(terminal.stdout, json === true ? jsonText(revoked) : `revoked ${revoked.name}\n`);
      return exitCodes.ok;
    }
  }
}

/** `citewell hosted owner-link`. */
export async function hostedOwnerLink(
  options: StoreOptions & AddressOptions & { project?: string },
  terminal: Terminal,
): Promise<number> {
  const publicUrl = readPublicUrl(options);
  await using admin = await openAdmin(options, terminal);
  const link = await admin.createOwnerLink({ project: options.project });
  const note = `Open this link within 15 minutes to become an owner of ${link.project}:\n`;
  return writeLink(withAddress(link, publicUrl), note, options, terminal);
}

/** `citewell hosted password-link`. */
export async function hostedPasswordLink(
  email: string,
  options: StoreOptions & AddressOptions,
  terminal: Terminal,
): Promise<number> {
  const publicUrl = readPublicUrl(options);
  await using admin = await openAdmin(options, terminal);
  const link = await admin.createPasswordLink({ email });
  const note = `Send this link to ${link.email}. It sets a new password, once, within 15 minutes:\n`;
  return writeLink(withAddress(link, publicUrl), note, options, terminal);
}

async function writeLink(
  link: { path: string; url?: string | undefined },
  note: string,
  { json, quiet }: StoreOptions,
  terminal: Terminal,
): Promise<number> {
  if (json !== true && quiet !== true) await write(terminal.stderr, note);
  await write(terminal.stdout, json === true ? jsonText(link) : `${describeAddress(link)}\n`);
  return exitCodes.ok;
}

/** Limits of a project; `none` removes one. */
export interface LimitOptions {
  running?: LimitOption;
  questions?: LimitOption;
  tokens?: LimitOption;
  cost?: LimitOption;
  resources?: LimitOption;
  fetches?: LimitOption;
  disk?: LimitOption;
}
type LimitOption = number | "none";

function toLimits(options: LimitOptions): Partial<ProjectLimits> {
  const { running, questions, tokens, cost: costUsd, resources, fetches, disk: diskGb } = options;
  const given = Object.entries({ running, questions, tokens, costUsd, resources, fetches, diskGb });
  return Object.fromEntries(
    given.flatMap(([name, limit]) => (limit === undefined ? [] : [[name, limit === "none" ? null : limit]])),
  );
}

function toLimitRows({ limits, ownLimits, usage }: LimitReport): string[][] {
  const applied = stricterLimits(limits, ownLimits);
  const row = (name: string, used: number, key: keyof ProjectLimits) => {
    const limit = applied[key];
    const text = limit === null ? "no limit" : `of ${limit}`;
    return [name, `${used}`, limit === limits[key] ? text : `${text}, set by an owner`];
  };
  return [
    row("running questions", usage.running, "running"),
    row(`questions in ${usage.month}`, usage.questions, "questions"),
    row(`tokens in ${usage.month}`, usage.tokens, "tokens"),
    row(`US$ in ${usage.month}`, usage.costUsd, "costUsd"),
    row("resources", usage.resources, "resources"),
    row("fetches this hour", usage.fetches, "fetches"),
    row("GB on disk", Number(usage.diskGb.toFixed(3)), "diskGb"),
  ];
}

/** `citewell hosted project`. */
export async function hostedProject(
  action: "create" | "list" | "limits",
  name: string | undefined,
  options: StoreOptions & LimitOptions,
  terminal: Terminal,
): Promise<number> {
  await using admin = await openAdmin(options, terminal);
  if (action === "create") {
    const project = await admin.createProject({ name: required(name, action) });
    await write(terminal.stdout, options.json === true ? jsonText(project) : `created ${project.name}\n`);
    return exitCodes.ok;
  }
  if (action === "limits") {
    const report = await admin.setLimits({ project: name, limits: toLimits(options) });
    const text = formatTable(toLimitRows(report));
    await write(terminal.stdout, options.json === true ? jsonText(report) : text);
    return exitCodes.ok;
  }
  const { projects } = await admin.listProjects({});
  const rows = projects.map((project) => [project.name, project.createdAt]);
  await write(terminal.stdout, options.json === true ? jsonText({ projects }) : formatTable(rows));
  return exitCodes.ok;
}

function toRow({ name, hint, scopes, resources, expiresAt, revokedAt, lastUsedAt, id }: ApiKey): string[] {
  const state = revokedAt !== null ? "revoked" : expiresAt === null ? "no expiry" : `expires ${expiresAt}`;
  const use = lastUsedAt === null ? "never used" : `used ${lastUsedAt}`;
  return [name, `${hint}…`, scopes.join(","), resources?.join(",") ?? "all resources", state, use, id];
}

function required(name: string | undefined, action: string): string {
  if (name !== undefined) return name;
  throw new CitewellError("InvalidUsage", `${action} needs a name`, { hint: "citewell hosted --help shows examples" });
}
