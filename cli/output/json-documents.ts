import * as z from "zod";
import { Answer, AskEvent } from "../../server/protocol/ask.ts";
import { ErrorBody } from "../../server/protocol/error.ts";
import { HistoryReply } from "../../server/protocol/git-history.ts";
import { adminMethods, MoveReport } from "../../server/protocol/hosted.ts";
import {
  DependencyList,
  PackageSpec,
  ResourceList,
  ResourceListing,
  ResourceSpec,
} from "../../server/protocol/resource.ts";
import { ConfigSources, ReportedSettings } from "../../server/protocol/settings.ts";
import { SearchReply } from "../../server/protocol/search.ts";
import { Thread, ThreadDeleted, ThreadList, ThreadRecheck } from "../../server/protocol/threads.ts";
import { Comparison } from "../../server/protocol/compare.ts";
import { UpgradeReport } from "../../server/protocol/upgrade.ts";
import { VerifyReply } from "../../server/protocol/verify.ts";
import { operatorCommands } from "../definitions/operator-commands.ts";

const text = z.string();
const texts = z.array(text);
const savedTo = text.describe("The file that was written, or the server's URL.");
const ConfigFileState = z.object({ path: text, exists: z.boolean(), resources: texts });
const ReportedConfig = z.object({
  ...ReportedSettings.shape,
  sources: ConfigSources.required(),
  isConnected: z.boolean(),
  dataDirectory: text,
});
const Finding = z.object({ check: text, state: z.enum(["ok", "warn", "fail"]), message: text, fix: text.optional() });

/** What `--json` prints for each command line, beside `schemaVersion`; `docs/cli-json.md` is made from this table. */
export const jsonDocuments: Readonly<Record<string, z.ZodType>> = {
  ask: Answer,
  "ask --jsonl (each line)": AskEvent,
  search: SearchReply,
  "search --batch (each line)": z.union([
    z.object({ id: z.union([text, z.number()]), ...SearchReply.pick({ results: true, counts: true }).shape }),
    z.object({ id: z.union([text, z.number()]), ...ErrorBody.shape }),
  ]),
  history: HistoryReply,
  upgrade: UpgradeReport,
  compare: Comparison,
  verify: VerifyReply,
  resources: ResourceList,
  add: z.object({ resource: ResourceSpec, savedTo }),
  remove: z.object({ success: z.literal(true), name: text, savedTo }),
  "remove --dry-run": z.object({ wouldRemove: text, savedTo }),
  clear: z.object({ cleared: z.int().describe("How many fetched resources were removed.") }),
  "clear --dry-run": z.object({ directory: text, resources: texts }),
  refresh: z.object({
    refreshed: z.array(ResourceListing),
    failed: z.array(z.object({ name: text, ...ErrorBody.shape })),
  }),
  reference: z.object({ name: text, url: text, path: text, excludeFile: text.nullable(), snippet: text }),
  deps: z.object({
    added: z.array(PackageSpec),
    present: texts,
    skipped: DependencyList.shape.skipped.unwrap(),
    savedTo,
    created: z.boolean(),
  }),
  status: z.object({
    ...ReportedConfig.shape,
    global: ConfigFileState,
    project: ConfigFileState,
    version: z.object({ installed: text, latest: text.nullable() }),
    warnings: texts,
  }),
  "status --server": z.object({ server: text, ...ReportedConfig.shape, resources: texts }),
  init: z.object({ path: text, storage: z.enum(["local", "global"]), gitignore: text.nullable() }),
  wipe: z.object({ removed: texts, missing: texts, failed: z.array(z.object({ path: text, error: text })) }),
  "wipe --dry-run": z.object({ wouldRemove: texts, missing: texts }),
  connect: z.object({
    provider: text,
    model: text,
    providerOptions: z.object({ baseURL: text, name: text }).optional(),
    savedTo,
    isConnected: z.boolean(),
    hint: text.optional(),
  }),
  "connect --list": z.object({
    providers: z.array(z.object({ id: text, name: text, isConnected: z.boolean() })),
  }),
  "connect --list -p": z.object({ provider: text, models: texts }),
  disconnect: z.object({
    provider: text,
    removed: z.boolean(),
    variable: text.optional().describe("An environment variable that still connects it."),
  }),
  threads: ThreadList,
  "threads show, threads export": Thread,
  "threads delete": ThreadDeleted,
  recheck: z.object({ holds: z.boolean(), threads: z.array(ThreadRecheck) }),
  hosted: z.object({
    endpoint: text.optional().describe("Absent with `--role worker`."),
    health: text.optional().describe("`/readyz` of a worker."),
    metrics: text.optional().describe("With `--metrics-port`."),
    model: text,
    project: text.optional().describe("Created by the first start, as is the key."),
    key: text.optional().describe("Shown only now."),
    ownerLink: text.optional().describe("To sign in for the first time, within 15 minutes."),
  }),
  ...Object.fromEntries(
    Object.entries(operatorCommands).map(([command, method]) => [`hosted ${command}`, adminMethods[method].output]),
  ),
  "hosted move": MoveReport,
  "mcp local": z.object({
    files: z.array(z.object({ client: text, scope: z.enum(["user", "project"]), file: text, changed: z.boolean() })),
    pastes: z
      .array(z.object({ client: text, into: text.optional(), entry: z.record(text, z.unknown()) }))
      .describe("Entries for clients whose settings no file holds."),
    warnings: texts,
    next: texts.describe("What is left to do in each client."),
    command: text,
    args: texts,
    snippet: text.describe("A paragraph for AGENTS.md or CLAUDE.md."),
  }),
  serve: z.object({ url: text, port: z.int() }),
  doctor: z.object({ ok: z.boolean(), checks: z.array(Finding) }),
};
